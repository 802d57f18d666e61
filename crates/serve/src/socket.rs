//! Web sockets (RFC 6455), and the language server behind them: each message of the page is one of the protocol.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::digest::{base64, sha1};
use crate::http::Request;
use crate::routes::Context;

/// What the standard adds to the key of a client.
const SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The longest message of a page.
const LONGEST_MESSAGE: usize = 64 << 20;

/// How long a language server may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// Whether a request wants a web socket.
pub fn is_wanted(request: &Request) -> bool {
    request.header("upgrade").is_some_and(|it| it.eq_ignore_ascii_case("websocket"))
        && request.header("sec-websocket-key").is_some()
}

/// Puts a language server behind a connection until either ends.
pub fn language_server(
    context: &Context,
    request: &Request,
    input: &mut impl BufRead,
    stream: &TcpStream,
) -> io::Result<()> {
    let key = request.header("sec-websocket-key").unwrap_or_default();
    let accept = base64(&sha1(format!("{key}{SUFFIX}").as_bytes()));
    let mut output = stream.try_clone()?;
    write!(
        output,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )?;
    stream.set_read_timeout(None)?;
    let mut command = Command::new(&context.program);
    command.arg("lsp").args(context.library_arguments());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let (Some(mut to_server), Some(from_server)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("no pipes"));
    };
    let mut to_page = stream.try_clone()?;
    let forward = move || {
        let mut from_server = BufReader::new(from_server);
        while let Ok(Some(message)) = read_framed(&mut from_server) {
            if write_frame(&mut to_page, TEXT, &message).is_err() {
                break;
            }
        }
        let _ = write_frame(&mut to_page, CLOSE, &[]);
        let _ = to_page.shutdown(Shutdown::Both);
    };
    let forwarding = std::thread::Builder::new().name("language server".into()).spawn(forward)?;
    let end = relay(input, &mut output, &mut to_server);
    drop(to_server);
    // Without its input the language server ends by itself, and its worker with it; one that does not is ended.
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
    let _ = forwarding.join();
    end
}

/// From the page to the language server.
fn relay(input: &mut impl BufRead, output: &mut impl Write, to_server: &mut impl Write) -> io::Result<()> {
    let mut message = Vec::new();
    loop {
        let Frame { last, kind, body } = read_frame(input)?;
        match kind {
            CLOSE => return Ok(()),
            PING => write_frame(output, PONG, &body)?,
            PONG => {}
            _ => {
                message.extend(body);
                if message.len() > LONGEST_MESSAGE {
                    return Err(io::Error::other("a message that is too long"));
                }
                if last {
                    write!(to_server, "Content-Length: {}\r\n\r\n", message.len())?;
                    to_server.write_all(&message)?;
                    to_server.flush()?;
                    message.clear();
                }
            }
        }
    }
}

/// A message of the language server; nothing at the end.
fn read_framed(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("Content-Length:").and_then(|it| it.trim().parse::<usize>().ok()).or(length);
    }
    let Some(length) = length else { return Ok(None) };
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(body))
}

/// A piece of a message.
struct Frame {
    last: bool,
    kind: u8,
    body: Vec<u8>,
}

fn read_frame(input: &mut impl Read) -> io::Result<Frame> {
    let mut head = [0; 2];
    input.read_exact(&mut head)?;
    let (last, kind) = (head[0] & 0x80 != 0, head[0] & 0x0f);
    let length = match head[1] & 0x7f {
        126 => {
            let mut bytes = [0; 2];
            input.read_exact(&mut bytes)?;
            u64::from(u16::from_be_bytes(bytes))
        }
        127 => {
            let mut bytes = [0; 8];
            input.read_exact(&mut bytes)?;
            u64::from_be_bytes(bytes)
        }
        short => u64::from(short),
    };
    // A client that does not mask is none.
    if head[1] & 0x80 == 0 || length > LONGEST_MESSAGE as u64 {
        return Err(io::Error::other("a frame that no browser sends"));
    }
    let mut mask = [0; 4];
    input.read_exact(&mut mask)?;
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    body.iter_mut().zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    Ok(Frame { last, kind, body })
}

fn write_frame(output: &mut impl Write, kind: u8, body: &[u8]) -> io::Result<()> {
    let mut frame = vec![0x80 | kind];
    match body.len() {
        length @ 0..126 => frame.push(length as u8),
        length @ 126..0x1_0000 => {
            frame.push(126);
            frame.extend((length as u16).to_be_bytes());
        }
        length => {
            frame.push(127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend(body);
    output.write_all(&frame)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as a browser sends it.
    fn masked(head: u8, body: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        write_frame(&mut plain, head, body).expect("a vector takes everything");
        plain[0] = head;
        plain[1] |= 0x80;
        let start = plain.len() - body.len();
        let mask = [1, 2, 3, 4];
        let hidden: Vec<u8> = body.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
        [&plain[..start], &mask, &hidden].concat()
    }

    #[test]
    fn pieces_of_a_message_are_put_together_for_the_language_server() {
        let long = "x".repeat(70_000);
        let frames = [
            masked(TEXT, b"{\"a\":"),
            masked(0x80 | PING, b"?"),
            masked(0x80, b"1}"),
            masked(0x80 | TEXT, long.as_bytes()),
            masked(0x80 | CLOSE, b""),
        ];
        let (mut output, mut to_server) = (Vec::new(), Vec::new());
        relay(&mut io::Cursor::new(frames.concat()), &mut output, &mut to_server).expect("well formed");
        let sent = String::from_utf8(to_server).expect("text");
        assert_eq!(sent, format!("Content-Length: 7\r\n\r\n{{\"a\":1}}Content-Length: 70000\r\n\r\n{long}"));
        assert_eq!(output, [0x80 | PONG, 1, b'?']);
    }

    #[test]
    fn frames_that_no_browser_sends_are_refused() {
        let read = |bytes: &[u8]| read_frame(&mut io::Cursor::new(bytes.to_vec()));
        assert!(read(&[0x81, 1, b'a']).is_err(), "without a mask");
        assert!(read(&[0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err(), "too long");
        assert!(read(&[0x81, 0x85, 0, 0, 0, 0, b'a']).is_err(), "cut off");
    }
}
