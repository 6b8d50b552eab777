//! What must hold for any bytes; the fuzz targets and the test that reruns the corpus share it.

pub mod check;
