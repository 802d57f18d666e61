//! The functions of FMI 2.0, in the order of the standard. Names and meanings are the standard's.
#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::PathBuf;

use modeshift_fmu::SlotKind;

use crate::calls::{
    Updated, access, derivative, enter_continuous_time, enter_event, get_derivatives, get_indicators, get_nominals,
    get_states, instantiate, set_states, set_time, states, update,
};
use crate::fmi3::Three;
use crate::instance::{Instance, Outcome, Phase, Wrong};
use crate::pointers::{DISCARD, ERROR, Environment, Logger, OK, Status, forget, put, text, with};

type LoggerFunction = unsafe extern "C" fn(*mut c_void, *const c_char, Status, *const c_char, *const c_char, ...);

#[repr(C)]
pub struct Callbacks {
    logger: Option<LoggerFunction>,
    allocate: *const c_void,
    free: *const c_void,
    finished: *const c_void,
    environment: *mut c_void,
}

const MODEL_EXCHANGE: c_int = 0;
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
    instantiate(name, logger, is_logging != 0, Three::default(), || {
        let is_exchange = match kind {
            MODEL_EXCHANGE => true,
            CO_SIMULATION => false,
            other => return Err(format!("{other} is no kind of FMU")),
        };
        Instance::new(&path_of(resources?), token?, is_exchange)
    })
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
        it.instance.phase = if it.instance.is_exchange { Phase::Event } else { Phase::Step };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2Terminate(c: *mut c_void) -> Status {
    with(c, |it| {
        let phases = [Phase::Step, Phase::Event, Phase::Continuous, Phase::Terminated, Phase::Failed];
        it.instance.expect("fmi2Terminate", &phases)?;
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

access!(fmi2GetReal, fmi2SetReal, f64, SlotKind::Real, |value| value, |value| value);
access!(fmi2GetInteger, fmi2SetInteger, c_int, SlotKind::Integer, |value| value as c_int, f64::from);
access!(
    fmi2GetBoolean,
    fmi2SetBoolean,
    c_int,
    SlotKind::Boolean,
    |value| c_int::from(value == 1.0),
    |value| f64::from(u8::from(value != 0))
);

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetString(c: *mut c_void, _: *const c_uint, n: usize, _: *mut *const c_char) -> Status {
    with(c, |_| no_texts(n))
}

fn no_texts(count: usize) -> Wrong<Status> {
    if count == 0 { Ok(OK) } else { Err("the model has no variables of this type".to_string()) }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetString(c: *mut c_void, _: *const c_uint, n: usize, _: *const *const c_char) -> Status {
    with(c, |_| no_texts(n))
}

states! {
    fmi2GetFMUstate, fmi2SetFMUstate, fmi2FreeFMUstate,
    fmi2SerializedFMUstateSize, fmi2SerializeFMUstate, fmi2DeSerializeFMUstate
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
    let (seed, sensitivity) = ((seed, known_count), (sensitivity, unknown_count));
    // SAFETY: promised by the importer.
    unsafe { derivative(c, (unknown, unknown_count), (known, known_count), seed, sensitivity) }
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

/// `fmi2EventInfo`
#[repr(C)]
pub struct EventInfo {
    new_discrete_states_needed: c_int,
    terminate_simulation: c_int,
    nominals_of_continuous_states_changed: c_int,
    values_of_continuous_states_changed: c_int,
    next_event_time_defined: c_int,
    next_event_time: f64,
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterEventMode(c: *mut c_void) -> Status {
    with(c, |it| enter_event(it, "fmi2EnterEventMode"))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2NewDiscreteStates(c: *mut c_void, info: *mut EventInfo) -> Status {
    with(c, |it| {
        let Updated { is_over, has_changed, next } = update(it, "fmi2NewDiscreteStates")?;
        let told = EventInfo {
            new_discrete_states_needed: 0,
            terminate_simulation: c_int::from(is_over),
            nominals_of_continuous_states_changed: 0,
            values_of_continuous_states_changed: c_int::from(has_changed),
            next_event_time_defined: c_int::from(next.is_some()),
            next_event_time: next.unwrap_or(0.0),
        };
        // SAFETY: promised by the importer.
        unsafe { put(info, told) };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterContinuousTimeMode(c: *mut c_void) -> Status {
    enter_continuous_time(c, "fmi2EnterContinuousTimeMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CompletedIntegratorStep(
    c: *mut c_void,
    _no_set_before: c_int,
    event_needed: *mut c_int,
    terminate: *mut c_int,
) -> Status {
    with(c, |it| {
        let is_needed = it.instance.completed("fmi2CompletedIntegratorStep")?;
        // SAFETY: promised by the importer.
        unsafe {
            put(event_needed, c_int::from(is_needed));
            put(terminate, 0);
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetTime(c: *mut c_void, time: f64) -> Status {
    set_time(c, "fmi2SetTime", time)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetContinuousStates(c: *mut c_void, values: *const f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { set_states(c, "fmi2SetContinuousStates", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDerivatives(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_derivatives(c, "fmi2GetDerivatives", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetEventIndicators(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_indicators(c, "fmi2GetEventIndicators", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetContinuousStates(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_states(c, "fmi2GetContinuousStates", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetNominalsOfContinuousStates(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_nominals(c, "fmi2GetNominalsOfContinuousStates", (values, count)) }
}
