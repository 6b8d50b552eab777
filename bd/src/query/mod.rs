//! Queries of a snapshot: filters, orders, times as users write them.

pub mod completion;
pub mod differ;
pub mod expr;
pub mod filter;
pub mod lint;
pub mod mentions;
pub mod similar;
pub mod sort;
pub mod template;
pub mod when;

pub use filter::BeadFilter;
pub use sort::SortOrder;
