//! Questions to a snapshot: filters, orders, times as people write them.

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
