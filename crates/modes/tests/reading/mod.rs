//! Reads formulas as the printer writes them: a second opinion on what its text means.

use modeshift_modes::{ModeSet, ModeSpace, ModeVariable};

/// `a`, `b`, `c`, …
pub fn names(variables: u32) -> Vec<String> {
    (0..variables).map(|variable| char::from(b'a' + variable as u8).to_string()).collect()
}

/// The set that a formula denotes.
pub fn read(space: &ModeSpace, names: &[String], text: &str) -> ModeSet {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut reader = Reader { space, names, words: spaced.split_whitespace().collect(), at: 0 };
    let set = reader.disjunction();
    assert_eq!(reader.at, reader.words.len(), "`{text}` is one formula");
    set
}

struct Reader<'a> {
    space: &'a ModeSpace,
    names: &'a [String],
    words: Vec<&'a str>,
    at: usize,
}

impl Reader<'_> {
    fn accept(&mut self, word: &str) -> bool {
        let accepted = self.words.get(self.at) == Some(&word);
        self.at += usize::from(accepted);
        accepted
    }

    fn disjunction(&mut self) -> ModeSet {
        let mut set = self.conjunction();
        while self.accept("or") {
            set = self.space.or(set, self.conjunction());
        }
        set
    }

    fn conjunction(&mut self) -> ModeSet {
        let mut set = self.factor();
        while self.accept("and") {
            set = self.space.and(set, self.factor());
        }
        set
    }

    fn factor(&mut self) -> ModeSet {
        if self.accept("not") {
            return !self.factor();
        }
        if self.accept("(") {
            let set = self.disjunction();
            assert!(self.accept(")"), "a parenthesis is closed");
            return set;
        }
        let word = self.words[self.at];
        self.at += 1;
        match word {
            "true" => ModeSet::ALL,
            "false" => ModeSet::EMPTY,
            name => {
                let number = self.names.iter().position(|known| known == name).expect("a known name");
                self.space.literal(ModeVariable(number as u32))
            }
        }
    }
}
