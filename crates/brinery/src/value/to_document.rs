//! Trees as documents.

use super::{Group, Object, Value};
use crate::document::{Document, DocumentBuilder, Id};
use crate::error::{Error, ErrorKind, Result};

impl DocumentBuilder {
    /// Adds a tree. Each value of it becomes one of its own.
    ///
    /// ```
    /// use brinery::{DocumentBuilder, Value};
    /// let mut builder = DocumentBuilder::new();
    /// let pair = Value::Tuple([Value::Int(1), Value::Str("one".into())].into_iter().collect());
    /// let pair = builder.tree(&pair)?;
    /// let list = builder.list([pair, pair])?;
    /// assert_eq!(builder.finish(list)?.root().repr().to_string(), "[(1, 'one'), (1, 'one')]");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn tree(&mut self, tree: &Value) -> Result<Id> {
        let mut open: Vec<(&Value, Vec<Id>)> = vec![(tree, Vec::new())];
        loop {
            let Some((value, done)) = open.last_mut() else { return Ok(self.none()) };
            if let Some(child) = value.children().get(done.len()) {
                open.push((child, Vec::new()));
                continue;
            }
            let id = self.tree_node(value, done)?;
            open.pop();
            match open.last_mut() {
                Some((_, done)) => done.push(id),
                None => return Ok(id),
            }
        }
    }

    /// A value whose children are made.
    fn tree_node(&mut self, value: &Value, children: &[Id]) -> Result<Id> {
        let all = children.iter().copied();
        let pairs = || children.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
        match value {
            Value::None => Ok(self.none()),
            Value::Bool(value) => Ok(self.bool(*value)),
            Value::Int(value) => self.int(*value),
            Value::BigInt(bytes) => self.int_bytes(bytes),
            Value::Float(value) => self.float(*value),
            Value::Str(text) => self.str(text),
            Value::StrSurrogates(text) => self.str_surrogates(text),
            Value::Str8(bytes) => self.str8(bytes),
            Value::Bytes(bytes) => self.bytes(bytes),
            Value::Bytearray(bytes) => self.bytearray(bytes),
            Value::List(_) => self.list(all),
            Value::Tuple(_) => self.tuple(all),
            Value::Dict(_) if children.len() % 2 == 1 => Err(Error::new(ErrorKind::OddItems(children.len()))),
            Value::Dict(_) => self.dict(pairs()),
            Value::Set(_) => self.set(all),
            Value::Frozenset(_) => self.frozenset(all),
            Value::Global(_) => match *children {
                [module, name] => self.global_of_values(module, name),
                _ => Err(Error::new(ErrorKind::WrongKind { expected: "a module and a name", found: "another number of values" })),
            },
            Value::Extension(code) => self.extension(*code),
            Value::Buffer { index, readonly, data } => self.buffer_of(*index, *readonly, data.as_deref()),
            Value::Persistent(object) | Value::Object(object) => self.tree_object(object, children),
        }
    }

    fn tree_object(&mut self, object: &Object, children: &[Id]) -> Result<Id> {
        let malformed = || Error::new(ErrorKind::WrongKind { expected: "the parts of an object", found: "others" });
        let mut at = 0;
        let mut groups = object.groups.iter().map(|&(group, len)| {
            let ids = children.get(at..at + len).unwrap_or_default();
            at += len;
            (group, ids)
        });
        let mut parts = groups.by_ref().peekable();
        let made = match parts.next() {
            Some((Group::PersistentId, &[id])) => self.persistent(id)?,
            Some((Group::Name, &[module, name])) => self.global_of_values(module, name)?,
            Some((Group::ExtensionCode, _)) => match object.values.first() {
                Some(&Value::Int(code)) => self.extension(u32::try_from(code).map_err(|_| malformed())?)?,
                _ => return Err(malformed()),
            },
            Some((Group::Callable, &[callable])) => {
                let args = match parts.next() {
                    Some((Group::Arguments, args)) => self.tuple(args.iter().copied())?,
                    Some((Group::ArgumentsObject, &[args])) => args,
                    _ => return Err(malformed()),
                };
                let kwargs = match parts.peek() {
                    Some(&(Group::Keywords, &[kwargs])) => Some(kwargs),
                    _ => None,
                };
                if kwargs.is_some() {
                    parts.next();
                }
                self.made_object(object.how, callable, args, kwargs)?
            }
            _ => return Err(malformed()),
        };
        for (group, ids) in parts {
            self.tree_step(made, group, ids)?;
        }
        Ok(made)
    }

    fn tree_step(&mut self, object: Id, group: Group, ids: &[Id]) -> Result<()> {
        let all = ids.iter().copied();
        match (group, ids) {
            (Group::Appended, _) => self.extend(object, all),
            (Group::Added, _) => self.add(object, all),
            (Group::SetItems, _) => self.set_items(object, ids.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)))),
            (Group::State, &[state]) => self.set_state(object, state),
            (Group::Setter, [setter, rest @ ..]) => {
                let args = self.tuple(std::iter::once(object).chain(rest.iter().copied()))?;
                self.call_on(object, *setter, args)
            }
            (Group::Call, [function, args @ ..]) => {
                let args = self.tuple(args.iter().copied())?;
                self.call_on(object, *function, args)
            }
            _ => Err(Error::new(ErrorKind::WrongKind { expected: "a step of an object", found: "something else" })),
        }
    }

    /// The document of a tree.
    pub(crate) fn document_of(tree: &Value) -> Result<Document<'static>> {
        let mut builder = Self::new();
        let root = builder.tree(tree)?;
        builder.finish(root)
    }
}
