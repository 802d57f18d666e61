//! Requests and responses of HTTP/1.1, as much of it as a browser on the same machine needs: one request per connection.

use std::io::{self, BufRead, Read, Write};

/// The longest header that is read.
const LONGEST_HEADER: u64 = 64 << 10;

/// The longest body that is read.
const LONGEST_BODY: usize = 64 << 20;

/// What a header that is too long is refused with.
pub const TOO_LONG: &str = "the request line and the headers are longer than 64 kB; what is long belongs into the body";

/// What was asked.
#[derive(Debug, Default)]
pub struct Request {
    /// `GET`, `PUT`, `POST`
    pub method: String,
    /// The path, with escapes resolved in its parts.
    pub path: Vec<String>,
    /// Names and values behind `?`.
    pub query: Vec<(String, String)>,
    /// Names in small letters, and values.
    pub headers: Vec<(String, String)>,
    /// What comes behind the header.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All values of a header that should be there once.
    pub fn all_headers(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of a name behind `?`.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads a request up to its body, of which nobody knows yet whether it is wanted; an error is one that the client caused.
pub fn read_head(input: &mut impl BufRead) -> io::Result<Request> {
    let mut limited = Read::take(&mut *input, LONGEST_HEADER);
    let first = read_line(&mut limited)?;
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Err(malformed("a request line"));
    };
    if !version.starts_with("HTTP/1.") {
        return Err(malformed("a version"));
    }
    let mut request = Request { method: method.to_string(), ..Request::default() };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    request.path = path.split('/').skip(1).map(unescaped).collect::<Option<_>>().ok_or_else(|| malformed("a path"))?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let both = unescaped(name).zip(unescaped(&value.replace('+', " ")));
        request.query.push(both.ok_or_else(|| malformed("a query"))?);
    }
    loop {
        let line = read_line(&mut limited)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| malformed("a header"))?;
        request.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_string()));
    }
    Ok(request)
}

/// Reads the body that a header announces.
pub fn read_body(input: &mut impl BufRead, request: &mut Request) -> io::Result<()> {
    let length = request.header("content-length").map_or(Ok(0), str::parse::<usize>);
    let length = length.ok().filter(|length| *length <= LONGEST_BODY).ok_or_else(|| malformed("a length"))?;
    if request.header("transfer-encoding").is_some() {
        return Err(malformed("another transfer encoding than none"));
    }
    // Memory is taken as the body comes, not as it is announced.
    let read = Read::take(&mut *input, length as u64).read_to_end(&mut request.body)?;
    if read == length { Ok(()) } else { Err(malformed("the whole body")) }
}

fn read_line(input: &mut io::Take<impl BufRead>) -> io::Result<String> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(match input.limit() {
            0 => io::Error::new(io::ErrorKind::FileTooLarge, TOO_LONG),
            _ => malformed("a line"),
        });
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| malformed("a line"))
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("expected {what}"))
}

/// `%20` and its like resolved; `None` where that is no text.
fn unescaped(text: &str) -> Option<String> {
    let raw = text.as_bytes();
    let (mut bytes, mut at) = (Vec::new(), 0);
    while at < raw.len() {
        if raw[at] == b'%' {
            bytes.push(u8::from_str_radix(text.get(at + 1..at + 3)?, 16).ok()?);
            at += 3;
        } else {
            bytes.push(raw[at]);
            at += 1;
        }
    }
    String::from_utf8(bytes).ok()
}

/// What is answered.
#[derive(Debug)]
pub struct Response {
    /// 200, 403, …
    pub status: u16,
    /// The kind of its body.
    pub kind: &'static str,
    /// The body.
    pub body: Vec<u8>,
    /// The name under which a browser is to save it.
    pub file_name: Option<String>,
    /// Which version of a file this is.
    pub version: Option<String>,
}

impl Response {
    /// All well.
    pub fn new(kind: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response { status: 200, kind, body: body.into(), file_name: None, version: None }
    }

    /// All well, with JSON.
    pub fn json(value: &serde_json::Value) -> Response {
        Response::new("application/json", value.to_string())
    }

    /// Not well, and why.
    pub fn error(status: u16, message: &str) -> Response {
        Response { status, ..Response::new("text/plain; charset=utf-8", format!("{message}\n")) }
    }

    /// Writes it. No browser may keep it, show it inside of another page, or load anything from elsewhere for it.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            409 => "Conflict",
            412 => "Precondition Failed",
            429 => "Too Many Requests",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Error",
        };
        let disposition = match &self.file_name {
            Some(name) => format!("Content-Disposition: attachment; filename=\"{name}\"\r\n"),
            None => String::new(),
        };
        let version = self.version.as_ref().map_or_else(String::new, |version| format!("ETag: {version}\r\n"));
        write!(
            output,
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{disposition}{version}Connection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: default-src 'self'; style-src 'self' \
             'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        )?;
        output.write_all(&self.body)?;
        output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> io::Result<Request> {
        let mut input = io::Cursor::new(text.to_string());
        let mut request = read_head(&mut input)?;
        read_body(&mut input, &mut request)?;
        Ok(request)
    }

    #[test]
    fn a_request_is_read_with_its_parts() {
        let request =
            read("PUT /t/a%20b?x=1%2B1&y HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok").expect("well formed");
        assert_eq!((request.method.as_str(), &*request.path), ("PUT", &["t".to_string(), "a b".to_string()][..]));
        assert_eq!(
            (request.value("x"), request.value("y"), request.header("host")),
            (Some("1+1"), Some(""), Some("h"))
        );
        assert_eq!(request.body, b"ok");
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in [
            "",
            "GET\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET /%ff HTTP/1.1\r\n\r\n",
            "GET /%g HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nno header\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
        assert!(read(&format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "x".repeat(100_000))).is_err());
    }
}
