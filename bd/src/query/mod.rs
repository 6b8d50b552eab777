//! Questions to a snapshot: filters, orders, times as people write them.

pub mod filter;
pub mod sort;
pub mod when;

pub use filter::Filter;
pub use sort::Order;
