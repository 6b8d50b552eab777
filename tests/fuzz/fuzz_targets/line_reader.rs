#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bd_fuzz::check::line_reader(data));
