//! Fixed word lists as parameters. The schema names the accepted words from the same list.

use std::borrow::Cow;

use nudge_core::hypothesis::{Domain, RootCause, Status, Strategy};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list of words.
pub trait Listed: Copy + 'static {
    /// The name of the list.
    const WHAT: &'static str;
    /// All values.
    fn all() -> &'static [Self];
    /// The word for one value.
    fn word(self) -> &'static str;
}

macro_rules! listed {
    ($($list:ident $what:literal),+) => {
        $(impl Listed for $list {
            const WHAT: &'static str = $what;

            fn all() -> &'static [Self] {
                &Self::ALL
            }

            fn word(self) -> &'static str {
                self.name()
            }
        })+
    };
}

listed!(Domain "domain", Strategy "strategy", RootCause "root cause", Status "status");

/// One word of a list.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T: Listed> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.word())
    }
}

impl<'de, T: Listed> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let said = String::deserialize(from)?;
        let found = T::all().iter().find(|one| one.word() == said);
        found.copied().map(Self).ok_or_else(|| {
            let known: Vec<&str> = T::all().iter().map(|one| one.word()).collect();
            D::Error::custom(format!("`{said}` is no {}; one of {}", T::WHAT, known.join(", ")))
        })
    }
}

impl<T: Listed> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let known: Vec<&str> = T::all().iter().map(|one| one.word()).collect();
        json_schema!({"type": "string", "enum": known})
    }
}
