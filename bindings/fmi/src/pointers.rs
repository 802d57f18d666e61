//! From C to Rust and back: instances that are known, lists, texts, and what a call answers.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::instance::{Instance, State, Wrong};

/// `fmi2Status` and `fmi3Status`
pub type Status = c_int;
#[allow(missing_docs)]
pub const OK: Status = 0;
#[allow(missing_docs)]
pub const DISCARD: Status = 2;
#[allow(missing_docs)]
pub const ERROR: Status = 3;

/// An instance with what the importer gave for it.
pub struct Component {
    /// The model.
    pub instance: Instance,
    /// Its name.
    pub name: CString,
    /// Whether messages are wanted.
    pub is_logging: bool,
    /// Who is told of them.
    pub logger: Logger,
    /// States that were handed out, by their addresses.
    pub states: BTreeMap<usize, Box<State>>,
    /// What only FMI 3.0 has.
    pub three: crate::fmi3::Three,
    /// Whether the model has ended the run (FMI 2.0).
    pub is_terminated: bool,
}

/// The importer's function for messages.
#[derive(Clone, Copy)]
pub enum Logger {
    /// Nobody.
    None,
    /// Of FMI 2.0.
    Two(unsafe extern "C" fn(*mut c_void, *const c_char, Status, *const c_char, *const c_char, ...), Environment),
    /// Of FMI 3.0.
    Three(unsafe extern "C" fn(*mut c_void, Status, *const c_char, *const c_char), Environment),
}

/// Something of the importer's that is handed back to it.
#[derive(Clone, Copy)]
pub struct Environment(pub *mut c_void);

// SAFETY: the pointer is only ever handed back.
unsafe impl Send for Environment {}

impl Component {
    /// Tells the importer that something is wrong.
    pub fn tell(&self, message: &str) {
        if !self.is_logging {
            return;
        }
        tell(self.logger, &self.name, message);
    }
}

/// Tells an importer that something is wrong.
pub fn tell(logger: Logger, name: &CStr, message: &str) {
    let category = c"logStatusError";
    match logger {
        Logger::None => {}
        Logger::Two(logger, Environment(environment)) => {
            let Ok(text) = CString::new(message.replace('\0', " ").replace('%', "%%")) else { return };
            // SAFETY: the importer promised that this is its logger; all texts end with zero.
            unsafe { logger(environment, name.as_ptr(), ERROR, category.as_ptr(), text.as_ptr()) };
        }
        Logger::Three(logger, Environment(environment)) => {
            let Ok(text) = CString::new(message.replace('\0', " ")) else { return };
            // SAFETY: as above.
            unsafe { logger(environment, ERROR, category.as_ptr(), text.as_ptr()) };
        }
    }
}

/// The instances that there are, by their handles.
static COMPONENTS: LazyLock<Mutex<Instances>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Instances {
    last: usize,
    all: BTreeMap<usize, Arc<Mutex<Component>>>,
}

/// Keeps an instance; its handle, which is no address of anything.
pub fn keep(component: Component) -> *mut c_void {
    let mut instances = COMPONENTS.lock().unwrap_or_else(PoisonError::into_inner);
    // Handles look like aligned pointers to those who test for that.
    instances.last += 16;
    let handle = instances.last;
    instances.all.insert(handle, Arc::new(Mutex::new(component)));
    handle as *mut c_void
}

/// Forgets an instance.
pub fn forget(handle: *mut c_void) {
    let component = COMPONENTS.lock().unwrap_or_else(PoisonError::into_inner).all.remove(&(handle as usize));
    // Threads of the run end here, not while others wait for the list.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(component)));
}

/// Works with an instance: what is wrong is told and answered as an error, a panic too.
pub fn with(handle: *mut c_void, job: impl FnOnce(&mut Component) -> Wrong<Status>) -> Status {
    let component = COMPONENTS.lock().unwrap_or_else(PoisonError::into_inner).all.get(&(handle as usize)).cloned();
    let Some(component) = component else { return ERROR };
    let mut component = component.lock().unwrap_or_else(PoisonError::into_inner);
    match catch_unwind(AssertUnwindSafe(|| job(&mut component))) {
        Ok(Ok(status)) => status,
        Ok(Err(message)) => {
            component.tell(&message);
            ERROR
        }
        Err(_) => {
            component.instance.phase = crate::instance::Phase::Failed;
            component.tell("a fault of the engine itself; please report it with the model");
            ERROR
        }
    }
}

/// A list that the importer reads from.
///
/// # Safety
/// Where the pointer is not null, there are so many values behind it.
pub unsafe fn list<'a, T>(pointer: *const T, count: usize) -> Wrong<&'a [T]> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err("a list is missing".to_string()),
        // SAFETY: promised by the caller.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }),
    }
}

/// A list that is written to.
///
/// # Safety
/// Where the pointer is not null, there is room for so many values behind it.
pub unsafe fn room<'a, T>(pointer: *mut T, count: usize) -> Wrong<&'a mut [T]> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err("room for values is missing".to_string()),
        // SAFETY: promised by the caller.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) }),
    }
}

/// Writes a value where the importer wants it.
///
/// # Safety
/// Where the pointer is not null, a value can be written there.
pub unsafe fn put<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: promised by the caller.
        unsafe { pointer.write(value) };
    }
}

/// A text.
///
/// # Safety
/// Where the pointer is not null, it is that of a text that ends with zero.
pub unsafe fn text<'a>(pointer: *const c_char) -> Wrong<&'a str> {
    if pointer.is_null() {
        return Err("a text is missing".to_string());
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| "a text is not UTF-8".to_string())
}
