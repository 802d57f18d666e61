//! The functions of FMI 2.0, in the order of the standard. Names and meanings are the standard's.
#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc)]

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::panic::catch_unwind;
use std::path::PathBuf;

use modeshift_fmu::SlotKind;

use crate::fmi3::Three;
use crate::instance::{Instance, Outcome, Phase, Wrong};
use crate::pointers::{
    Component, DISCARD, ERROR, Environment, Logger, OK, Status, forget, keep, list, put, room, tell, text, with,
};

type LoggerFunction = unsafe extern "C" fn(*mut c_void, *const c_char, Status, *const c_char, *const c_char, ...);

#[repr(C)]
pub struct Callbacks {
    logger: Option<LoggerFunction>,
    allocate: *const c_void,
    free: *const c_void,
    finished: *const c_void,
    environment: *mut c_void,
}

const CO_SIMULATION: c_int = 1;
/// `fmi2StatusKind`
const TERMINATED: c_int = 3;
const LAST_SUCCESSFUL_TIME: c_int = 2;

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetDebugLogging(c: *mut c_void, on: c_int, _: usize, _: *const *const c_char) -> Status {
    with(c, |it| {
        it.is_logging = on != 0;
        Ok(OK)
    })
}

/// The path of a URI of a file: with or without a host, with what is escaped.
fn path_of(uri: &str) -> PathBuf {
    let rest = uri.strip_prefix("file:").unwrap_or(uri);
    let rest = rest.strip_prefix("//").map_or(rest, |after| &after[after.find('/').unwrap_or(0)..]);
    let (mut bytes, mut left) = (Vec::new(), rest.as_bytes());
    while let Some((&byte, after)) = left.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let escaped = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
        left = if escaped.is_some() { &after[2..] } else { after };
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `/C:/…` is a path of Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    PathBuf::from(if is_drive { path[1..].to_string() } else { path })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    token: *const c_char,
    resources: *const c_char,
    callbacks: *const Callbacks,
    _visible: c_int,
    is_logging: c_int,
) -> *mut c_void {
    // SAFETY: the importer promises texts and callbacks, or nothing.
    let (name, token, resources, callbacks) = unsafe { (text(name), text(token), text(resources), callbacks.as_ref()) };
    let logger = callbacks.and_then(|it| Some(Logger::Two(it.logger?, Environment(it.environment))));
    let logger = logger.unwrap_or(Logger::None);
    let own_name = name.as_ref().ok().and_then(|name| CString::new(*name).ok()).unwrap_or_default();
    let make = || {
        name?;
        if kind != CO_SIMULATION {
            return Err("this FMU is for co-simulation".to_string());
        }
        Instance::new(&path_of(resources?), token?)
    };
    let instance = catch_unwind(make).unwrap_or_else(|_| Err("a fault of the engine itself".to_string()));
    match instance {
        Ok(instance) => keep(Component {
            instance,
            name: own_name,
            is_logging: is_logging != 0,
            logger,
            states: BTreeMap::new(),
            three: Three::default(),
            is_terminated: false,
        }),
        Err(message) => {
            tell(logger, &own_name, &message);
            std::ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2FreeInstance(c: *mut c_void) {
    forget(c);
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetupExperiment(
    c: *mut c_void,
    has_tolerance: c_int,
    tolerance: f64,
    start: f64,
    has_stop: c_int,
    stop: f64,
) -> Status {
    with(c, |it| {
        it.instance.expect("fmi2SetupExperiment", &[Phase::Instantiated])?;
        let (stop, tolerance) = ((has_stop != 0).then_some(stop), (has_tolerance != 0).then_some(tolerance));
        it.instance.set_up(start, stop, tolerance).map(|()| OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterInitializationMode(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.expect("fmi2EnterInitializationMode", &[Phase::Instantiated])?;
        it.instance.phase = Phase::Initialization;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2ExitInitializationMode(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.expect("fmi2ExitInitializationMode", &[Phase::Initialization])?;
        it.instance.begin()?;
        it.instance.phase = Phase::Step;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Terminate(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.expect("fmi2Terminate", &[Phase::Step, Phase::Terminated, Phase::Failed])?;
        it.instance.terminate();
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Reset(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.reset();
        it.is_terminated = false;
        Ok(OK)
    })
}

/// Gets values of one type.
unsafe fn get<T>(
    c: *mut c_void,
    (references, count): (*const c_uint, usize),
    values: *mut T,
    kind: SlotKind,
    convert: impl Fn(f64) -> T,
) -> Status {
    with(c, |it| {
        // SAFETY: the importer promises so many of both.
        let (references, values) = unsafe { (list(references, count)?, room(values, count)?) };
        for (&reference, value) in references.iter().zip(values) {
            let at = it.instance.slot_of(reference, kind)?;
            *value = convert(it.instance.get(at)?);
        }
        Ok(OK)
    })
}

/// Sets values of one type.
unsafe fn set<T: Copy>(
    c: *mut c_void,
    (references, count): (*const c_uint, usize),
    values: *const T,
    kind: SlotKind,
    convert: impl Fn(T) -> f64,
) -> Status {
    with(c, |it| {
        // SAFETY: the importer promises so many of both.
        let (references, values) = unsafe { (list(references, count)?, list(values, count)?) };
        for (&reference, &value) in references.iter().zip(values) {
            let at = it.instance.slot_of(reference, kind)?;
            it.instance.set(at, convert(value))?;
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetReal(c: *mut c_void, vr: *const c_uint, n: usize, values: *mut f64) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get(c, (vr, n), values, SlotKind::Real, |value| value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetInteger(c: *mut c_void, vr: *const c_uint, n: usize, values: *mut c_int) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get(c, (vr, n), values, SlotKind::Integer, |value| value as c_int) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBoolean(c: *mut c_void, vr: *const c_uint, n: usize, values: *mut c_int) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get(c, (vr, n), values, SlotKind::Boolean, |value| c_int::from(value == 1.0)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetString(c: *mut c_void, _: *const c_uint, n: usize, _: *mut *const c_char) -> Status {
    with(c, |_| no_texts(n))
}

fn no_texts(count: usize) -> Wrong<Status> {
    if count == 0 { Ok(OK) } else { Err("the model has no variables of this type".to_string()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetReal(c: *mut c_void, vr: *const c_uint, n: usize, values: *const f64) -> Status {
    // SAFETY: promised by the importer.
    unsafe { set(c, (vr, n), values, SlotKind::Real, |value| value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetInteger(c: *mut c_void, vr: *const c_uint, n: usize, values: *const c_int) -> Status {
    // SAFETY: promised by the importer.
    unsafe { set(c, (vr, n), values, SlotKind::Integer, f64::from) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetBoolean(c: *mut c_void, vr: *const c_uint, n: usize, values: *const c_int) -> Status {
    // SAFETY: promised by the importer.
    unsafe { set(c, (vr, n), values, SlotKind::Boolean, |value| f64::from(u8::from(value != 0))) }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetString(c: *mut c_void, _: *const c_uint, n: usize, _: *const *const c_char) -> Status {
    with(c, |_| no_texts(n))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(c: *mut c_void, state: *mut *mut c_void) -> Status {
    with(c, |it| {
        // SAFETY: promised by the importer.
        unsafe { get_state(it, state) }
    })
}

/// Hands out a state: a new one, or the one that was handed out before, with what is now.
///
/// # Safety
/// Where the pointer is not null, a pointer can be read and written there.
pub unsafe fn get_state(it: &mut Component, state: *mut *mut c_void) -> Wrong<Status> {
    // SAFETY: promised by the caller.
    let Some(state) = (unsafe { state.as_mut() }) else { return Err("room for a state is missing".to_string()) };
    let own = Box::new(it.instance.state());
    match it.states.get_mut(&(*state as usize)) {
        Some(known) => **known = *own,
        None => {
            let address = &raw const *own as usize;
            it.states.insert(address, own);
            *state = address as *mut c_void;
        }
    }
    Ok(OK)
}

/// Comes back to a state that was handed out.
pub fn set_state(it: &mut Component, state: *mut c_void) -> Wrong<Status> {
    let Some(known) = it.states.get(&(state as usize)).cloned() else {
        return Err("there is no such state".to_string());
    };
    it.instance.restore(&known)?;
    it.is_terminated = it.instance.phase == Phase::Terminated;
    Ok(OK)
}

/// Forgets a state that was handed out.
///
/// # Safety
/// Where the pointer is not null, a pointer can be read and written there.
pub unsafe fn free_state(it: &mut Component, state: *mut *mut c_void) -> Wrong<Status> {
    // SAFETY: promised by the caller.
    let Some(state) = (unsafe { state.as_mut() }) else { return Ok(OK) };
    if !state.is_null() && it.states.remove(&(*state as usize)).is_none() {
        return Err("there is no such state".to_string());
    }
    *state = std::ptr::null_mut();
    Ok(OK)
}

/// The bytes of a state that was handed out.
pub fn state_bytes(it: &Component, state: *mut c_void) -> Wrong<Vec<u8>> {
    let known = it.states.get(&(state as usize)).ok_or("there is no such state")?;
    Ok(it.instance.serialized(known))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetFMUstate(c: *mut c_void, state: *mut c_void) -> Status {
    with(c, |it| set_state(it, state))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(c: *mut c_void, state: *mut *mut c_void) -> Status {
    with(c, |it| {
        // SAFETY: promised by the importer.
        unsafe { free_state(it, state) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializedFMUstateSize(c: *mut c_void, state: *mut c_void, size: *mut usize) -> Status {
    with(c, |it| {
        let bytes = state_bytes(it, state)?;
        // SAFETY: promised by the importer.
        unsafe { put(size, bytes.len()) };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializeFMUstate(c: *mut c_void, state: *mut c_void, to: *mut u8, size: usize) -> Status {
    with(c, |it| {
        let bytes = state_bytes(it, state)?;
        // SAFETY: promised by the importer.
        let room = unsafe { room(to, size) }?;
        let Some(place) = room.get_mut(..bytes.len()) else { return Err("the room is too small".to_string()) };
        place.copy_from_slice(&bytes);
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
    c: *mut c_void,
    from: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> Status {
    with(c, |it| {
        // SAFETY: promised by the importer.
        let (bytes, state) = unsafe { (list(from, size)?, state.as_mut()) };
        let Some(state) = state else { return Err("room for a state is missing".to_string()) };
        let own = Box::new(it.instance.deserialized(bytes)?);
        let address = &raw const *own as usize;
        it.states.insert(address, own);
        *state = address as *mut c_void;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDirectionalDerivative(
    c: *mut c_void,
    unknown: *const c_uint,
    unknown_count: usize,
    known: *const c_uint,
    known_count: usize,
    seed: *const f64,
    sensitivity: *mut f64,
) -> Status {
    with(c, |it| {
        // SAFETY: promised by the importer.
        let (unknown, known, seed, sensitivity) = unsafe {
            let (unknowns, knowns) = (list(unknown, unknown_count)?, list(known, known_count)?);
            (unknowns, knowns, list(seed, known_count)?, room(sensitivity, unknown_count)?)
        };
        derivative(it, unknown, known, seed, sensitivity)
    })
}

/// Derivatives in a direction.
pub fn derivative(
    it: &mut Component,
    unknown: &[c_uint],
    known: &[c_uint],
    seed: &[f64],
    sensitivity: &mut [f64],
) -> Wrong<Status> {
    it.instance.expect("the derivative", &[Phase::Initialization, Phase::Event, Phase::Step])?;
    let places = |list: &[c_uint]| -> Wrong<Vec<usize>> {
        list.iter().map(|&reference| it.instance.slot_of(reference, SlotKind::Real)).collect()
    };
    let (unknowns, knowns) = (places(unknown)?, places(known)?);
    let found = it.instance.derivative(&unknowns, &knowns, seed)?;
    sensitivity.copy_from_slice(&found);
    Ok(OK)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetRealInputDerivatives(
    c: *mut c_void,
    _: *const c_uint,
    n: usize,
    _: *const c_int,
    _: *const f64,
) -> Status {
    with(c, |_| if n == 0 { Ok(OK) } else { Err("inputs are constant between steps".to_string()) })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetRealOutputDerivatives(
    c: *mut c_void,
    _: *const c_uint,
    n: usize,
    _: *const c_int,
    _: *mut f64,
) -> Status {
    with(c, |_| if n == 0 { Ok(OK) } else { Err("derivatives of outputs are not provided".to_string()) })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2DoStep(c: *mut c_void, from: f64, step: f64, _no_set_before: c_int) -> Status {
    with(c, |it| {
        it.instance.expect("fmi2DoStep", &[Phase::Step])?;
        match it.instance.step(from, step, false)? {
            Outcome::Done | Outcome::Event => Ok(OK),
            Outcome::Terminated => {
                it.is_terminated = true;
                Ok(DISCARD)
            }
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2CancelStep(c: *mut c_void) -> Status {
    with(c, |_| Err("no step is pending".to_string()))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStatus(c: *mut c_void, _: c_int, _: *mut Status) -> Status {
    with(c, |_| Ok(DISCARD))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealStatus(c: *mut c_void, kind: c_int, value: *mut f64) -> Status {
    with(c, |it| match kind {
        LAST_SUCCESSFUL_TIME => {
            // SAFETY: promised by the importer.
            unsafe { put(value, it.instance.time()) };
            Ok(OK)
        }
        _ => Ok(DISCARD),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetIntegerStatus(c: *mut c_void, _: c_int, _: *mut c_int) -> Status {
    with(c, |_| Ok(DISCARD))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBooleanStatus(c: *mut c_void, kind: c_int, value: *mut c_int) -> Status {
    with(c, |it| match kind {
        TERMINATED => {
            // SAFETY: promised by the importer.
            unsafe { put(value, c_int::from(it.is_terminated)) };
            Ok(OK)
        }
        _ => Ok(DISCARD),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStringStatus(c: *mut c_void, _: c_int, _: *mut *const c_char) -> Status {
    if with(c, |_| Ok(OK)) == OK { DISCARD } else { ERROR }
}
