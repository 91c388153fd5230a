//! A number and its unit, as people type them: `30m`.

/// What a length is counted in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `s`
    Second,
    /// `m`
    Minute,
    /// `h`
    Hour,
    /// `d`, always 24 hours
    Day,
    /// `w`
    Week,
}

impl Unit {
    const fn letter(self) -> u8 {
        match self {
            Self::Second => b's',
            Self::Minute => b'm',
            Self::Hour => b'h',
            Self::Day => b'd',
            Self::Week => b'w',
        }
    }

    /// How long one is.
    pub const fn seconds(self) -> u64 {
        match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 60 * 60,
            Self::Day => 24 * 60 * 60,
            Self::Week => 7 * 24 * 60 * 60,
        }
    }
}

/// A part of a length, and what is written behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'t> {
    /// How many.
    pub number: u64,
    /// Of what.
    pub unit: Unit,
    /// What follows.
    pub rest: &'t str,
}

impl<'t> Part<'t> {
    /// The part that a text begins with: ASCII digits, and right behind them one of these units.
    pub fn first(text: &'t str, units: &[Unit]) -> Option<Self> {
        let (number, tail) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
        let letter = *tail.as_bytes().first()?;
        let unit = units.iter().copied().find(|unit| unit.letter() == letter)?;
        Some(Self { number: number.parse().ok()?, unit, rest: &tail[1..] })
    }

    /// How long the part is, unless no number of seconds holds it.
    pub fn seconds(&self) -> Option<u64> {
        self.number.checked_mul(self.unit.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_digits_and_a_unit() {
        let units = [Unit::Hour, Unit::Minute];
        let read = |text| Part::first(text, &units).map(|part| (part.seconds(), part.rest));
        assert_eq!(read("1h30m"), Some((Some(3_600), "30m")));
        assert_eq!(read("007m x"), Some((Some(420), " x")));
        assert_eq!(read("18446744073709551615h"), Some((None, "")));
        for wrong in
            ["", "h", "1", "1d", "1H", "+1h", "-1h", " 1h", "1 h", "٣h", "1é", "18446744073709551616h"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
