//! Macros that define structs and enums which preserve unknown data, with their readers and
//! writers.

use serde::Serialize;
use serde_json::value::RawValue;

use super::Stamp;

/// A value that can count as absent. Absent values are left out of the line.
pub(crate) trait IsBlank {
    fn is_blank(&self) -> bool;
}

impl IsBlank for String {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}

impl IsBlank for i64 {
    fn is_blank(&self) -> bool {
        *self == 0
    }
}

impl IsBlank for bool {
    fn is_blank(&self) -> bool {
        !*self
    }
}

impl IsBlank for Stamp {
    fn is_blank(&self) -> bool {
        self.as_str().is_empty()
    }
}

impl<T> IsBlank for Option<T> {
    fn is_blank(&self) -> bool {
        self.is_none()
    }
}

impl<T> IsBlank for Vec<T> {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}

/// An element of a list that is not understood.
#[derive(Debug, Clone)]
pub struct ForeignElement {
    /// The key of the list.
    pub list: &'static str,
    pub position: usize,
    pub raw: Box<RawValue>,
}

/// Returns a list as it is written: its elements, with those that are not understood at their
/// positions.
pub(in crate::bead) fn with_foreign_elements(
    list: &impl Serialize,
    foreign: &[&ForeignElement],
) -> Vec<Box<RawValue>> {
    let elements = serde_json::value::to_raw_value(list);
    let mut elements: Vec<Box<RawValue>> = elements
        .and_then(|raw| serde_json::from_str(raw.get()))
        // The elements are plain structs, which always serialize.
        .unwrap_or_else(|_| Vec::new());
    for element in foreign {
        let position = element.position.min(elements.len());
        elements.insert(position, element.raw.clone());
    }
    elements
}

/// A record whose lists may have elements that are not understood.
pub(in crate::bead) trait HasForeignElements {
    fn foreign_elements(&self) -> &[ForeignElement] {
        &[]
    }
}

/// Defines an enum of known words that preserves an unknown word.
macro_rules! word_enum {
    ($(#[$doc:meta])* pub enum $name:ident: $default:ident {
        $($(#[$vdoc:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
            /// A word that is not in this list.
            Other(String),
        }

        impl $name {
            /// The word as written in files.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }

            /// The word's position in the list, for the index; 255 for a word that is not in it.
            pub fn code(&self) -> u8 {
                enum Place {
                    $($variant,)*
                }
                match self {
                    $(Self::$variant => Place::$variant as u8,)*
                    Self::Other(_) => u8::MAX,
                }
            }

            /// Returns the word at a position in the list.
            pub fn from_code(code: u8) -> Option<Self> {
                enum Place {
                    $($variant,)*
                }
                $(if code == Place::$variant as u8 {
                    return Some(Self::$variant);
                })*
                None
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)*
                    "" => Self::default(),
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Ok(Self::from(word.as_ref()))
            }
        }

        impl $crate::bead::fields_table::IsBlank for $name {
            fn is_blank(&self) -> bool {
                false
            }
        }
    };
}
pub(crate) use word_enum;

/// Implements reading and writing for a struct that is one table of fields and `extra`. `$blank`
/// builds one in which every field is absent.
macro_rules! table_serde {
    ($owner:ident, $blank:expr, $($name:ident: $kind:ty = $key:literal, $when:ident;)*) => {
        impl serde::Serialize for $owner {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize_without(&[], serializer)
            }
        }

        impl $owner {
            /// Serializes the fields whose keys are not in `omitted`.
            pub(crate) fn serialize_without<S: serde::Serializer>(
                &self,
                omitted: &[&str],
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                use $crate::bead::fields_table::HasForeignElements;
                let mut map = serializer.serialize_map(None)?;
                let foreign = |key: &str| -> Vec<_> {
                    self.foreign_elements().iter().filter(|element| element.list == key).collect()
                };
                // A preserved value of the wrong type is written instead of its field.
                let is_left_out =
                    |key: &str| omitted.contains(&key) || self.extra.iter().any(|(own, _)| own == key);
                $(let odd = foreign($key);
                if !odd.is_empty() && !omitted.contains(&$key) {
                    let list = $crate::bead::fields_table::with_foreign_elements(&self.$name, &odd);
                    map.serialize_entry($key, &list)?;
                } else if $crate::bead::fields_table::written!($when, self.$name) && !is_left_out($key) {
                    map.serialize_entry($key, &self.$name)?;
                })*
                for (key, value) in &self.extra {
                    if !omitted.contains(&key.as_str()) {
                        map.serialize_entry(key, value)?;
                    }
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $owner {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Reader;
                impl<'de> serde::de::Visitor<'de> for Reader {
                    type Value = $owner;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a JSON object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$owner, A::Error> {
                        $(let mut $name: Option<$kind> = None;)*
                        let mut extra = Vec::new();
                        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                            match key.as_ref() {
                                $($key if $name.is_none() => $name = map.next_value::<Option<$kind>>()?,)*
                                $($key)|* => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                }
                                other => extra.push((other.to_owned(), map.next_value()?)),
                            }
                        }
                        let mut read: $owner = $blank;
                        read.extra = extra;
                        $(if let Some(value) = $name {
                            read.$name = value;
                        })*
                        Ok(read)
                    }
                }
                deserializer.deserialize_map(Reader)
            }
        }
    };
}
pub(crate) use table_serde;

/// Decides if a field is written: always, or only if it is not blank.
macro_rules! written {
    (always, $value:expr) => {
        true
    };
    (omit, $value:expr) => {
        !$crate::bead::fields_table::IsBlank::is_blank(&$value)
    };
}
pub(crate) use written;

/// Defines a part of a bead: a struct of public fields with its reader and writer.
macro_rules! part_struct {
    ($(#[$doc:meta])* pub struct $owner:ident {
        $($(#[$fdoc:meta])* $name:ident: $kind:ty = $key:literal, $when:ident;)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default)]
        pub struct $owner {
            $($(#[$fdoc])* pub $name: $kind,)*
            /// Unknown keys with the bytes of their values.
            pub extra: Vec<(String, Box<RawValue>)>,
        }

        impl $crate::bead::fields_table::HasForeignElements for $owner {}

        $crate::bead::fields_table::table_serde!($owner, $owner::default(), $($name: $kind = $key, $when;)*);
    };
}
pub(crate) use part_struct;
