#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bd_fuzz::check::index_reader(data));
