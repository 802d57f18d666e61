//! Who may ask, and which files. The token is the first part of every path, so that links inside of the page have it and
//! no other page can make a request that counts; `Host` and `Origin` are checked besides, against names that lead here.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::http::{Request, Response};

/// The directory whose files the page may see, and the file that is shown first.
#[derive(Clone, Debug)]
pub struct Root {
    directory: PathBuf,
    /// The file, from the directory.
    pub open: Option<String>,
}

impl Root {
    /// The directory of a file, or a directory; or why that cannot be.
    pub fn of(path: &Path) -> std::io::Result<Root> {
        let path = path.canonicalize()?;
        if path.is_dir() {
            return Ok(Root { directory: path, open: None });
        }
        let directory = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let open = path.file_name().and_then(|name| name.to_str()).map(str::to_string);
        Ok(Root { directory, open })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a name as the page has it: a model below the directory, also when links are followed.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let relative = Path::new(name);
        let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        let is_model = relative.extension().is_some_and(|it| it == "mo" || it == "mel");
        if !is_plain || !is_model || name.is_empty() || name.contains(['\\', '\0']) {
            return None;
        }
        let path = self.directory.join(relative);
        let around = path.parent()?.canonicalize().ok()?;
        // A link that leads nowhere would be followed by whoever writes: only what is not there at all is a new file.
        let real = match path.symlink_metadata() {
            Ok(_) => path.canonicalize().ok()?,
            Err(_) => around.join(relative.file_name()?),
        };
        (around.starts_with(&self.directory) && real.starts_with(&self.directory)).then_some(path)
    }

    /// The models below the directory, by name, at most so many.
    pub fn files(&self, most: usize) -> Vec<String> {
        let (mut found, mut pending) = (Vec::new(), vec![self.directory.clone()]);
        while let Some(directory) = pending.pop() {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let is_hidden = name.to_string_lossy().starts_with('.');
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !is_hidden => pending.push(path),
                    Ok(kind) if kind.is_file() => {
                        let relative = path.strip_prefix(&self.directory).ok().and_then(Path::to_str);
                        found.extend(relative.filter(|name| self.file(name).is_some()).map(str::to_string));
                    }
                    _ => {}
                }
            }
            if found.len() > most {
                break;
            }
        }
        found.sort();
        found.truncate(most);
        found
    }
}

/// Who may ask.
#[derive(Debug)]
pub struct Access {
    token: String,
    port: u16,
}

impl Access {
    /// With a token that nobody can guess.
    pub fn new(port: u16) -> std::io::Result<Access> {
        Ok(Access { token: token()?, port })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Refuses what does not come from the page itself, or from a program that was given its address.
    pub fn check(&self, request: &Request) -> Result<(), Response> {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let given: Vec<&str> = request.all_headers("host").collect();
        let &[host] = given.as_slice() else {
            return Err(Response::error(403, "a request names one host"));
        };
        if !hosts.iter().any(|known| known == host) {
            return Err(Response::error(403, "this server answers on 127.0.0.1 and localhost only"));
        }
        if request.all_headers("origin").any(|origin| origin != format!("http://{host}")) {
            return Err(Response::error(403, "requests of other pages are refused"));
        }
        let given = request.path.first().map_or("", String::as_str);
        if !is_same(given.as_bytes(), self.token.as_bytes()) {
            return Err(Response::error(403, "the address of the page has a token, which is missing here"));
        }
        Ok(())
    }
}

/// Compares in a time that does not tell where two texts differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

/// 128 bits from the system, as digits; where the system has no such file, from what the hash tables of the standard
/// library are keyed with, which comes from the system too.
pub(crate) fn token() -> std::io::Result<String> {
    let mut bytes = [0u8; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        use std::hash::{BuildHasher, Hasher};
        for half in bytes.chunks_exact_mut(8) {
            let hasher = std::collections::hash_map::RandomState::new().build_hasher();
            half.copy_from_slice(&hasher.finish().to_ne_bytes());
        }
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, headers: &[(&str, &str)]) -> Request {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Request { path: path.split('/').map(str::to_string).collect(), headers, ..Request::default() }
    }

    #[test]
    fn only_the_page_itself_may_ask() {
        let access = Access { token: "secret".into(), port: 80 };
        let is_let_in = |path, headers: &[(&str, &str)]| access.check(&request(path, headers)).is_ok();
        let host = ("host", "127.0.0.1:80");
        assert!(is_let_in("secret/x", &[host]));
        assert!(is_let_in("secret", &[("host", "localhost:80"), ("origin", "http://localhost:80")]));
        assert!(!is_let_in("secre", &[host]) && !is_let_in("", &[host]) && !is_let_in("x/secret", &[host]));
        assert!(!is_let_in("secret", &[]) && !is_let_in("secret", &[("host", "evil.example:80")]));
        assert!(!is_let_in("secret", &[host, ("origin", "http://evil.example")]));
        assert!(!is_let_in("secret", &[host, ("origin", "http://localhost:80")]), "another origin than its own");
        assert!(!is_let_in("secret", &[host, ("origin", "null")]));
        let own = ("origin", "http://127.0.0.1:80");
        assert!(!is_let_in("secret", &[host, own, ("origin", "http://evil.example")]), "all of them count");
        assert!(!is_let_in("secret", &[host, ("host", "evil.example:80")]));
    }

    #[test]
    fn files_are_models_below_the_directory_only() {
        let directory = std::env::temp_dir().join(format!("modeshift-root-{}", std::process::id()));
        std::fs::create_dir_all(directory.join("in/deeper")).expect("a temporary directory");
        for name in ["in/a.mo", "in/deeper/b.mel", "outside.mo", "in/secret.txt"] {
            std::fs::write(directory.join(name), "").expect("a temporary file");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(directory.join("outside.mo"), directory.join("in/link.mo")).expect("a link");
        #[cfg(unix)]
        std::os::unix::fs::symlink(directory.join("nothing.mo"), directory.join("in/dangling.mo")).expect("a link");
        let root = Root::of(&directory.join("in")).expect("it is there");
        assert_eq!(root.files(10), ["a.mo", "deeper/b.mel"]);
        assert!(root.file("a.mo").is_some() && root.file("new.mo").is_some());
        let links = if cfg!(unix) { &["link.mo", "dangling.mo"][..] } else { &[] };
        let others = ["../outside.mo", "/etc/passwd", "secret.txt", "deeper/../../outside.mo", "", "no/such/a.mo"];
        for name in others.iter().chain(links) {
            assert_eq!(root.file(name), None, "{name}");
        }
        std::fs::remove_dir_all(&directory).expect("it can go");
    }
}
