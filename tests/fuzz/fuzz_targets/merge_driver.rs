#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bd_fuzz::check::merge_driver(data));
