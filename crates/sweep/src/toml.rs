//! As much of TOML as plans need: tables, keys, texts, numbers, truths, lists and inline tables.

/// A value, with the line where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    /// The number as it was written.
    Number(String),
    Truth(bool),
    List(Vec<Item>),
    Table(Vec<(String, Item)>),
}

/// Reads a text; in the tables that headings begin, keys come in the order of the text.
pub(crate) fn read(text: &str) -> Result<Vec<(String, Item)>, String> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut root: Vec<(String, Item)> = Vec::new();
    let mut heading: Option<usize> = None;
    loop {
        reader.skip(true);
        let line = reader.line;
        let Some(next) = reader.rest.chars().next() else { return Ok(root) };
        if next == '[' {
            reader.take('[')?;
            let name = reader.key()?;
            reader.take(']')?;
            reader.end_of_line()?;
            if root.iter().any(|(known, _)| *known == name) {
                return Err(format!("line {line}: `{name}` is there twice"));
            }
            root.push((name, Item { line, value: Value::Table(Vec::new()) }));
            heading = Some(root.len() - 1);
            continue;
        }
        let (name, item) = reader.assignment()?;
        reader.end_of_line()?;
        let table = match heading.map(|at| &mut root[at].1.value) {
            Some(Value::Table(table)) => table,
            _ => &mut root,
        };
        if table.iter().any(|(known, _)| *known == name) {
            return Err(format!("line {line}: `{name}` is there twice"));
        }
        table.push((name, item));
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    /// Skips spaces and comments, and ends of lines where they mean nothing.
    fn skip(&mut self, lines: bool) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            if self.rest.starts_with('#') {
                self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
            }
            match self.rest.strip_prefix('\n') {
                Some(rest) if lines => {
                    self.rest = rest;
                    self.line += 1;
                }
                _ => return,
            }
        }
    }

    fn wrong<T>(&self, expected: &str) -> Result<T, String> {
        let found: String = self.rest.chars().take_while(|it| *it != '\n').take(20).collect();
        let found = if found.is_empty() { "the end of the line".to_string() } else { format!("`{found}`") };
        Err(format!("line {}: expected {expected}, found {found}", self.line))
    }

    fn take(&mut self, mark: char) -> Result<(), String> {
        self.skip(false);
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => self.wrong(&format!("`{mark}`")),
        }
    }

    fn end_of_line(&mut self) -> Result<(), String> {
        self.skip(false);
        if self.rest.is_empty() || self.rest.starts_with('\n') { Ok(()) } else { self.wrong("the end of the line") }
    }

    fn while_matching(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self.rest.split_at(self.rest.find(|it| !is(it)).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// A key. Names of parts, `element[2].R`, may be written as they are.
    fn key(&mut self) -> Result<String, String> {
        self.skip(false);
        if self.rest.starts_with(['"', '\'']) {
            return self.text();
        }
        let name = self.while_matching(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.'));
        if name.is_empty() { self.wrong("a name") } else { Ok(name.to_string()) }
    }

    fn assignment(&mut self) -> Result<(String, Item), String> {
        let name = self.key()?;
        self.take('=')?;
        Ok((name, self.item()?))
    }

    fn text(&mut self) -> Result<String, String> {
        let mark = if self.rest.starts_with('"') { '"' } else { '\'' };
        self.take(mark)?;
        let mut text = String::new();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\n' => break,
                _ if letter == mark => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' if mark == '"' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other @ ('"' | '\\'))) => text.push(other),
                    _ => return Err(format!("line {}: `\\` is followed by n, t, \" or \\ in texts", self.line)),
                },
                _ => text.push(letter),
            }
        }
        Err(format!("line {}: the text does not end on its line", self.line))
    }

    fn item(&mut self) -> Result<Item, String> {
        self.skip(false);
        let line = self.line;
        let value = match self.rest.chars().next() {
            Some('"' | '\'') => Value::Text(self.text()?),
            Some('[') => self.list()?,
            Some('{') => self.table()?,
            _ => {
                let word = self.while_matching(|it| it.is_alphanumeric() || matches!(it, '+' | '-' | '.' | '_'));
                match word {
                    "true" => Value::Truth(true),
                    "false" => Value::Truth(false),
                    _ => {
                        let number = word.replace('_', "");
                        match number.parse::<f64>() {
                            Ok(value) if value.is_finite() => Value::Number(number),
                            _ if word.is_empty() => return self.wrong("a value"),
                            _ => return Err(format!("line {line}: `{word}` is no value; texts stand in quotes")),
                        }
                    }
                }
            }
        };
        Ok(Item { line, value })
    }

    fn list(&mut self) -> Result<Value, String> {
        self.take('[')?;
        let mut items = Vec::new();
        loop {
            self.skip(true);
            if self.rest.starts_with(']') {
                break;
            }
            items.push(self.item()?);
            self.skip(true);
            if !self.rest.starts_with(',') {
                break;
            }
            self.take(',')?;
        }
        self.take(']')?;
        Ok(Value::List(items))
    }

    fn table(&mut self) -> Result<Value, String> {
        self.take('{')?;
        let mut fields = Vec::new();
        self.skip(false);
        while !self.rest.starts_with('}') {
            fields.push(self.assignment()?);
            self.skip(false);
            if !self.rest.starts_with(',') {
                break;
            }
            self.take(',')?;
            self.skip(false);
        }
        self.take('}')?;
        Ok(Value::Table(fields))
    }
}
