//! Notes: what a person or an agent marks in passing, and what they pin.

mod mark;
mod pin;

pub use mark::{CreateMarker, MarkAnswer, MarkParams};
pub use pin::{PinAnswer, PinObservations, PinParams, UnpinObservations};
