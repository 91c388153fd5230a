//! Notes: what the user or an agent marks or pins.

mod mark;
mod pin;

pub use mark::{CreateMarker, MarkAnswer, MarkParams};
pub use pin::{PinAnswer, PinObservations, PinParams, UnpinObservations};
