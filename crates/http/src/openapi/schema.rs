//! Schemas in few words.

use serde_json::Value;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaFormat, SchemaType};
use utoipa::openapi::{KnownFormat, Ref, RefOr, Type};

/// The schema of a value, or where it stands.
pub(crate) type Shape = RefOr<Schema>;

/// A UUID to show.
pub(crate) const SOME_UUID: &str = "01958f3c-7a10-7c3e-9b1d-2f6a4c8e0d11";
/// A moment to show.
pub(crate) const SOME_MOMENT: &str = "2026-03-01T09:30:58.102Z";

/// A schema of the document with a name of its own.
pub(crate) struct Part {
    /// Its name among the components.
    pub(crate) name: &'static str,
    /// The schema.
    pub(crate) shape: fn() -> ObjectBuilder,
    /// The parts that the schema refers to.
    pub(crate) uses: &'static [&'static Part],
}

impl Part {
    /// Where it stands in the document.
    pub(crate) fn reference(&self) -> Ref {
        Ref::from_schema_name(self.name)
    }
}

/// Members that are always there, beside the builder's `property` for those that may be missing.
pub(crate) trait Members: Sized {
    /// Adds a member that is always there.
    fn always(self, name: &str, shape: impl Into<Shape>) -> Self;
}

impl Members for ObjectBuilder {
    fn always(self, name: &str, shape: impl Into<Shape>) -> Self {
        self.property(name, shape).required(name)
    }
}

/// An object.
pub(crate) fn object(words: &str) -> ObjectBuilder {
    typed(Type::Object, words)
}

/// A string, with one of its kind.
pub(crate) fn text(words: &str, example: impl Into<Value>) -> ObjectBuilder {
    typed(Type::String, words).examples([example])
}

/// A string of a format.
pub(crate) fn formatted(format: &str, words: &str, example: &str) -> ObjectBuilder {
    text(words, example).format(Some(SchemaFormat::Custom(format.to_owned())))
}

/// An identifier in its hyphenated form.
pub(crate) fn uuid(words: &str) -> ObjectBuilder {
    formatted("uuid", words, SOME_UUID)
}

/// A moment as the service writes it: RFC 3339, UTC, milliseconds.
pub(crate) fn moment(words: &str) -> ObjectBuilder {
    text(words, SOME_MOMENT).format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

/// A whole number from `least`.
pub(crate) fn whole(words: &str, least: u32, example: u64) -> ObjectBuilder {
    typed(Type::Integer, words).minimum(Some(least)).examples([example])
}

/// True or false.
pub(crate) fn flag(words: &str) -> ObjectBuilder {
    typed(Type::Boolean, words).examples([true])
}

/// One of a closed list of strings.
pub(crate) fn choice<V: Into<Value>>(words: &str, values: impl IntoIterator<Item = V>) -> ObjectBuilder {
    let values: Vec<Value> = values.into_iter().map(Into::into).collect();
    typed(Type::String, words).examples(values.first().cloned()).enum_values(Some(values))
}

/// The same, or null.
pub(crate) fn nullable(shape: impl Into<ObjectBuilder>) -> Shape {
    let mut object = shape.into().build();
    if let SchemaType::Type(one) = object.schema_type {
        object.schema_type = SchemaType::Array(vec![one, Type::Null]);
    }
    if let Some(values) = &mut object.enum_values {
        values.push(Value::Null);
    }
    object.into()
}

/// A list.
pub(crate) fn list(words: &str, items: impl Into<Shape>) -> Shape {
    ArrayBuilder::new().items(items.into()).description(Some(words)).into()
}

fn typed(of: Type, words: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(of).description(Some(words))
}
