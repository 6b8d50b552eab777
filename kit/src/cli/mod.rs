//! The command line: tables of commands, the parser, shell completion, reports that many commands
//! share.

pub mod completion;
mod file_arguments;
pub mod named_files;
pub mod offer;
pub mod overview;
pub mod parse;
pub mod repeat;
pub mod report;
pub mod slip;
pub mod synonym;
mod table;
pub mod unknown;
