//! Reports as JSON, and the schema of that JSON: both come from one declaration of the data.
//!
//! [`report!`](crate::report!) declares a struct together with its keys, in the order in which they are written. From
//! it follow the [`Json`] of a value and the schema of the type, with the doc comments as descriptions: what is written
//! and what is described cannot part.

use serde_json::{Map, Value, json};

/// Data that is written as JSON.
pub trait Json {
    /// The value.
    fn json(&self) -> Value;

    /// Whether an optional key with this value is left out: nothing, no items, `false`.
    fn is_absent(&self) -> bool {
        false
    }

    /// What all values of this type look like, as JSON Schema; structs are defined in the book and referred to.
    fn schema(book: &mut Book) -> Value;

    /// The same for those values that are not left out.
    fn schema_if_present(book: &mut Book) -> Value {
        Self::schema(book)
    }
}

/// The definitions that a schema refers to, in the order in which they are met.
#[derive(Debug, Default)]
pub struct Book {
    definitions: Vec<(&'static str, Value)>,
}

impl Book {
    /// A reference to a definition, which is made at the first mention.
    pub fn define(&mut self, name: &'static str, make: impl FnOnce(&mut Book) -> Value) -> Value {
        if self.definitions.iter().all(|(known, _)| *known != name) {
            let place = self.definitions.len();
            self.definitions.push((name, Value::Null));
            self.definitions[place].1 = make(self);
        }
        json!({"$ref": format!("#/$defs/{name}")})
    }

    /// All definitions.
    pub fn definitions(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.definitions.iter().map(|(name, schema)| (*name, schema))
    }
}

/// The whole schema of a report.
pub fn schema_of<T: Json>() -> Value {
    let mut book = Book::default();
    let root = T::schema(&mut book);
    let definitions: Map<String, Value> =
        book.definitions.into_iter().map(|(name, it)| (name.to_string(), it)).collect();
    json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": root["$ref"], "$defs": definitions})
}

/// As text for people and programs, with a final line end.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Declares structs with their JSON keys.
///
/// Behind each field stands how it is written: `always "key"`, `optional "key"` (left out where [`Json::is_absent`]),
/// or `hidden` (for texts and pictures only).
#[macro_export]
macro_rules! report {
    ($(
        $(#[doc = $doc:literal])*
        pub struct $name:ident {
            $($(#[doc = $field_doc:literal])* $field:ident: $type:ty => $how:ident $($key:literal)?,)*
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }

        impl $crate::json::Json for $name {
            fn json(&self) -> serde_json::Value {
                let mut object = serde_json::Map::new();
                $($crate::report!(@write $how object, self.$field $(, $key)?);)*
                serde_json::Value::Object(object)
            }

            fn schema(book: &mut $crate::json::Book) -> serde_json::Value {
                book.define(stringify!($name), |_book| {
                    let mut fields = $crate::json::Fields::new(concat!($($doc),*));
                    $($crate::report!(@describe $how fields, _book, $type, concat!($($field_doc),*) $(, $key)?);)*
                    fields.schema()
                })
            }
        }
    )*};
    (@write always $object:ident, $value:expr, $key:literal) => {
        $object.insert($key.to_string(), $crate::json::Json::json(&$value));
    };
    (@write optional $object:ident, $value:expr, $key:literal) => {
        if !$crate::json::Json::is_absent(&$value) {
            $object.insert($key.to_string(), $crate::json::Json::json(&$value));
        }
    };
    (@write hidden $object:ident, $value:expr) => {};
    (@describe always $fields:ident, $book:ident, $type:ty, $doc:expr, $key:literal) => {
        $fields.add($key, <$type as $crate::json::Json>::schema($book), $doc, true);
    };
    (@describe optional $fields:ident, $book:ident, $type:ty, $doc:expr, $key:literal) => {
        $fields.add($key, <$type as $crate::json::Json>::schema_if_present($book), $doc, false);
    };
    (@describe hidden $fields:ident, $book:ident, $type:ty, $doc:expr) => {};
}

/// The schema of an object under construction.
#[derive(Debug)]
pub struct Fields {
    description: &'static str,
    properties: Map<String, Value>,
    required: Vec<&'static str>,
}

impl Fields {
    /// No keys yet.
    pub fn new(description: &'static str) -> Fields {
        Fields { description: description.trim(), properties: Map::new(), required: Vec::new() }
    }

    /// One more key.
    pub fn add(&mut self, key: &'static str, schema: Value, description: &'static str, required: bool) {
        let mut object = Map::new();
        object.insert("description".to_string(), json!(description.trim()));
        if let Value::Object(schema) = schema {
            object.extend(schema);
        }
        self.properties.insert(key.to_string(), Value::Object(object));
        if required {
            self.required.push(key);
        }
    }

    /// The schema: no other keys than these.
    pub fn schema(self) -> Value {
        json!({
            "description": self.description,
            "type": "object",
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": false,
        })
    }
}

impl Json for String {
    fn json(&self) -> Value {
        json!(self)
    }

    fn schema(_: &mut Book) -> Value {
        json!({"type": "string"})
    }
}

impl Json for &'static str {
    fn json(&self) -> Value {
        json!(self)
    }

    fn schema(_: &mut Book) -> Value {
        json!({"type": "string"})
    }
}

impl Json for bool {
    fn json(&self) -> Value {
        json!(self)
    }

    fn is_absent(&self) -> bool {
        !self
    }

    fn schema(_: &mut Book) -> Value {
        json!({"type": "boolean"})
    }
}

/// Numbers; one that is not finite is `null`.
impl Json for f64 {
    fn json(&self) -> Value {
        json!(self)
    }

    fn schema(_: &mut Book) -> Value {
        json!({"type": ["number", "null"]})
    }
}

/// Whole numbers.
macro_rules! whole_numbers {
    ($($type:ty)*) => {$(
        impl Json for $type {
            fn json(&self) -> Value {
                json!(self)
            }

            fn schema(_: &mut Book) -> Value {
                json!({"type": "integer"})
            }
        }
    )*};
}

whole_numbers!(u32 i64 usize);

/// `null` for nothing, where the key is not left out.
impl<T: Json> Json for Option<T> {
    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::json)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn schema(book: &mut Book) -> Value {
        json!({"anyOf": [T::schema(book), {"type": "null"}]})
    }

    fn schema_if_present(book: &mut Book) -> Value {
        T::schema(book)
    }
}

impl<T: Json> Json for Vec<T> {
    fn json(&self) -> Value {
        self.iter().map(T::json).collect()
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn schema(book: &mut Book) -> Value {
        json!({"type": "array", "items": T::schema(book)})
    }
}

/// Bounds: the least and the greatest.
impl Json for (u32, u32) {
    fn json(&self) -> Value {
        json!([self.0, self.1])
    }

    fn schema(_: &mut Book) -> Value {
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2})
    }
}

/// An object whose keys are names of the model, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByName<T>(pub Vec<(String, T)>);

impl<T: Json> Json for ByName<T> {
    fn json(&self) -> Value {
        Value::Object(self.0.iter().map(|(name, value)| (name.clone(), value.json())).collect())
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }

    fn schema(book: &mut Book) -> Value {
        json!({"type": "object", "additionalProperties": T::schema(book)})
    }
}

/// A name, with the modes it belongs to where these are not all: written as the name alone or as an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemWhen {
    /// The name, such as `x'`.
    pub name: String,
    /// In which modes; `None` for all of them.
    pub when: Option<String>,
}

impl Json for ItemWhen {
    fn json(&self) -> Value {
        name_when(&self.name, &self.when)
    }

    fn schema(book: &mut Book) -> Value {
        name_when_schema(book)
    }
}

/// `"x"`, or `{"name": "x", "when": "p"}`.
pub fn name_when(name: &str, when: &Option<String>) -> Value {
    match when {
        None => json!(name),
        Some(when) => json!({"name": name, "when": when}),
    }
}

/// The schema of [`name_when`].
pub fn name_when_schema(book: &mut Book) -> Value {
    book.define("NameWhen", |_| {
        let object = json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "when": {"type": "string"}},
            "required": ["name", "when"],
            "additionalProperties": false,
        });
        let description = "A name, with the modes it belongs to where these are not all.";
        json!({"description": description, "anyOf": [{"type": "string"}, object]})
    })
}

/// The version of all reports: it grows when a key changes its meaning or goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Version;

/// The number that is written.
pub const VERSION: u32 = 1;

impl Json for Version {
    fn json(&self) -> Value {
        json!(VERSION)
    }

    fn schema(_: &mut Book) -> Value {
        json!({"const": VERSION})
    }
}
