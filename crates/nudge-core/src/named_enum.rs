//! Enums whose variants have a name and, if they are stored, a number.

/// Defines an enum with a name for each variant, and with a number if the type of one is given.
/// Neither a name nor a number ever changes its meaning.
///
/// ```text
/// named_enum! {
///     /// How much of an entry a viewer sees.
///     pub enum Visibility: i64 {
///         /// Nothing; a pattern still finds it.
///         Archived = 0 => "archived",
///         /// Its whole body.
///         Visible = 2 => "visible",
///     }
/// }
/// ```
///
/// It has `ALL`, `name` and `from_name`. A number of type `i64` is read by `code` and `from_code`,
/// one of type `u8` by `number` and `from_number`.
#[macro_export]
macro_rules! named_enum {
    ($(#[$about:meta])* $vis:vis enum $name:ident: i64 { $($body:tt)+ }) => {
        $crate::named_enum!(@numbered $(#[$about])* $vis $name, i64, code, from_code, $($body)+);
    };
    ($(#[$about:meta])* $vis:vis enum $name:ident: u8 { $($body:tt)+ }) => {
        $crate::named_enum!(@numbered $(#[$about])* $vis $name, u8, number, from_number, $($body)+);
    };
    ($(#[$about:meta])* $vis:vis enum $name:ident {
        $($(#[$meaning:meta])* $variant:ident => $word:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $name {
            $($(#[$meaning])* $variant,)+
        }

        $crate::named_enum!(@names $vis $name, $($variant $word)+);
    };
    (@numbered $(#[$about:meta])* $vis:vis $name:ident, $int:ty, $number:ident, $from_number:ident,
        $($(#[$meaning:meta])* $variant:ident = $value:literal => $word:literal,)+
    ) => {
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $name {
            $($(#[$meaning])* $variant = $value,)+
        }

        $crate::named_enum!(@names $vis $name, $($variant $word)+);

        impl $name {
            /// The number in the store. Its meaning never changes.
            $vis const fn $number(self) -> $int {
                self as $int
            }

            /// The variant with this stored number.
            $vis fn $from_number(number: $int) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.$number() == number)
            }
        }
    };
    (@names $vis:vis $name:ident, $($variant:ident $word:literal)+) => {
        impl $name {
            /// All of them.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The name on the wire and in the store.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The variant with this name.
            $vis fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    named_enum! {
        /// With numbers.
        enum Numbered: i64 {
            /// The first.
            First = 1 => "first",
            /// The second.
            Second = 7 => "second",
        }
    }

    named_enum! {
        /// Without.
        enum Named {
            /// The only one.
            Only => "only",
        }
    }

    #[test]
    fn names_and_numbers_read_back() {
        for one in Numbered::ALL {
            assert_eq!(Numbered::from_name(one.name()), Some(one));
            assert_eq!(Numbered::from_code(one.code()), Some(one));
        }
        assert_eq!((Numbered::Second.code(), Numbered::from_code(2)), (7, None));
        assert_eq!((Named::ALL, Named::from_name("other")), ([Named::Only], None));
    }
}
