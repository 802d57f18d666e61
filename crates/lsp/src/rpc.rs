//! JSON-RPC as the language server protocol frames it: `Content-Length`, an empty line, JSON.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

/// A message that is longer is not read: no editor sends it.
const LONGEST_MESSAGE: usize = 256 << 20;

/// A line of the header that is longer is none.
const LONGEST_LINE: u64 = 4096;

/// The next message; nothing at the end of the input. What is no JSON is an error that the reader may skip.
pub fn read_message(input: &mut impl BufRead) -> io::Result<Option<Result<Value, String>>> {
    let Some(length) = read_header(input)? else { return Ok(None) };
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body).map_err(|error| error.to_string())))
}

/// The length that a header announces.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let read = io::Read::take(&mut *input, LONGEST_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            let length = length.filter(|length| *length <= LONGEST_MESSAGE);
            return length.map(Some).ok_or_else(|| io::Error::other("a message without a length"));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// Writes a message.
pub fn write_message(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// What a request gets.
pub fn response(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Why a request gets nothing.
pub fn failure(id: &Value, error: Failure) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": error.code, "message": error.message}})
}

/// What nobody asked for.
pub fn notification(method: &str, parameters: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": parameters})
}

/// Why a request gets nothing, with the number that the protocol has for it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The number.
    pub code: i64,
    /// One line for the user.
    pub message: String,
}

impl Failure {
    /// There is no such method.
    pub fn unknown_method(method: &str) -> Failure {
        Failure { code: -32601, message: format!("`{method}` is not supported") }
    }

    /// The request came before `initialize`.
    pub fn not_initialized() -> Failure {
        Failure { code: -32002, message: "`initialize` comes first".to_string() }
    }

    /// The request does not come now: after `shutdown`, or a second `initialize`.
    pub fn invalid_request(message: &str) -> Failure {
        Failure { code: -32600, message: message.to_string() }
    }

    /// The parameters are not those of the method.
    pub fn invalid_parameters(expected: &str) -> Failure {
        Failure { code: -32602, message: format!("the parameters have no {expected}") }
    }

    /// The request asks for what cannot be done.
    pub fn refused(message: impl Into<String>) -> Failure {
        Failure { code: -32803, message: message.into() }
    }

    /// The text changed meanwhile.
    pub fn modified() -> Failure {
        Failure { code: -32801, message: "the text has changed meanwhile".to_string() }
    }

    /// The text changed, or the client no longer wants it.
    pub fn cancelled() -> Failure {
        Failure { code: -32800, message: "cancelled".to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let mut bytes = Vec::new();
        write_message(&mut bytes, &json!({"a": "ü"})).expect("a vector takes everything");
        write_message(&mut bytes, &json!(2)).expect("a vector takes everything");
        let mut input = io::Cursor::new(bytes);
        let mut next = || read_message(&mut input).expect("whole messages").map(|it| it.expect("JSON"));
        assert_eq!([next(), next(), next()], [Some(json!({"a": "ü"})), Some(json!(2)), None]);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        let read = |text: &str| read_message(&mut io::Cursor::new(text.to_string()));
        assert!(read("Content-Length: many\r\n\r\n{}").is_err());
        assert!(read("Content-Length: 99999999999999\r\n\r\n{}").is_err());
        assert!(read("Content-Length: 5\r\n\r\n{}").is_err());
        assert!(matches!(read("Content-Length: 2\r\n\r\n{]"), Ok(Some(Err(_)))));
    }
}
