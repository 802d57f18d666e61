//! The functions of FMI 3.0, in the order of the standard. Names and meanings are the standard's.
#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc, clippy::too_many_arguments)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::PathBuf;

use modeshift_fmu::SlotKind;

use crate::calls::{
    Updated, access, derivative, enter_continuous_time, enter_event, get_derivatives, get_indicators, get_nominals,
    get_states, instantiate, set_states, set_time, states, update,
};
use crate::instance::{Instance, Outcome, Phase, Wrong};
use crate::pointers::{Component, Environment, Logger, OK, Status, forget, put, tell, text, with};

type LogMessage = unsafe extern "C" fn(*mut c_void, Status, *const c_char, *const c_char);
type IntermediateUpdate = unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, *mut bool, *mut f64);

/// What only FMI 3.0 has.
#[derive(Clone, Copy, Default)]
pub struct Three {
    uses_events: bool,
    may_return_early: bool,
    update: Option<(IntermediateUpdate, Handle)>,
}

/// The importer's environment, to be handed back.
#[derive(Clone, Copy)]
struct Handle(*mut c_void);

// SAFETY: the pointer is only ever handed back.
unsafe impl Send for Handle {}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetDebugLogging(c: *mut c_void, on: bool, _: usize, _: *const *const c_char) -> Status {
    with(c, |it| {
        it.is_logging = on;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    is_logging: bool,
    uses_events: bool,
    may_return_early: bool,
    _required: *const c_uint,
    _required_count: usize,
    environment: *mut c_void,
    log: Option<LogMessage>,
    update: Option<IntermediateUpdate>,
) -> *mut c_void {
    // SAFETY: the importer promises texts, or nothing.
    let (name, token, resources) = unsafe { (text(name), text(token), text(resources)) };
    let logger = log.map_or(Logger::None, |log| Logger::Three(log, Environment(environment)));
    let three = Three { uses_events, may_return_early, update: update.map(|it| (it, Handle(environment))) };
    instantiate(name, logger, is_logging, three, || Instance::new(&PathBuf::from(resources?), token?, false))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    is_logging: bool,
    environment: *mut c_void,
    log: Option<LogMessage>,
) -> *mut c_void {
    // SAFETY: the importer promises texts, or nothing.
    let (name, token, resources) = unsafe { (text(name), text(token), text(resources)) };
    let logger = log.map_or(Logger::None, |log| Logger::Three(log, Environment(environment)));
    let make = || Instance::new(&PathBuf::from(resources?), token?, true);
    instantiate(name, logger, is_logging, Three::default(), make)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _is_logging: bool,
    environment: *mut c_void,
    log: Option<LogMessage>,
    _clock_update: *const c_void,
    _lock: *const c_void,
    _unlock: *const c_void,
) -> *mut c_void {
    let logger = log.map_or(Logger::None, |log| Logger::Three(log, Environment(environment)));
    tell(logger, c"", "this FMU has no scheduled execution");
    std::ptr::null_mut()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ActivateModelPartition(c: *mut c_void, _: c_uint, _: f64) -> Status {
    with(c, |_| Err("this FMU has no scheduled execution".to_string()))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterContinuousTimeMode(c: *mut c_void) -> Status {
    enter_continuous_time(c, "fmi3EnterContinuousTimeMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3CompletedIntegratorStep(
    c: *mut c_void,
    _no_set_before: bool,
    event_needed: *mut bool,
    terminate: *mut bool,
) -> Status {
    with(c, |it| {
        let is_needed = it.instance.completed("fmi3CompletedIntegratorStep")?;
        // SAFETY: promised by the importer.
        unsafe {
            put(event_needed, is_needed);
            put(terminate, false);
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetTime(c: *mut c_void, time: f64) -> Status {
    set_time(c, "fmi3SetTime", time)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetContinuousStates(c: *mut c_void, values: *const f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { set_states(c, "fmi3SetContinuousStates", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStateDerivatives(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_derivatives(c, "fmi3GetContinuousStateDerivatives", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetEventIndicators(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_indicators(c, "fmi3GetEventIndicators", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetContinuousStates(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_states(c, "fmi3GetContinuousStates", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNominalsOfContinuousStates(c: *mut c_void, values: *mut f64, count: usize) -> Status {
    // SAFETY: promised by the importer.
    unsafe { get_nominals(c, "fmi3GetNominalsOfContinuousStates", (values, count)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfEventIndicators(c: *mut c_void, count: *mut usize) -> Status {
    with(c, |it| {
        let (_, indicators) = it.instance.exchanged_counts("fmi3GetNumberOfEventIndicators")?;
        // SAFETY: promised by the importer.
        unsafe { put(count, indicators) };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfContinuousStates(c: *mut c_void, count: *mut usize) -> Status {
    with(c, |it| {
        let (states, _) = it.instance.exchanged_counts("fmi3GetNumberOfContinuousStates")?;
        // SAFETY: promised by the importer.
        unsafe { put(count, states) };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3FreeInstance(c: *mut c_void) {
    forget(c);
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterInitializationMode(
    c: *mut c_void,
    has_tolerance: bool,
    tolerance: f64,
    start: f64,
    has_stop: bool,
    stop: f64,
) -> Status {
    with(c, |it| {
        it.instance.expect("fmi3EnterInitializationMode", &[Phase::Instantiated])?;
        it.instance.set_up(start, has_stop.then_some(stop), has_tolerance.then_some(tolerance))?;
        it.instance.phase = Phase::Initialization;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitInitializationMode(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.expect("fmi3ExitInitializationMode", &[Phase::Initialization])?;
        it.instance.begin()?;
        let has_events = it.three.uses_events || it.instance.is_exchange;
        it.instance.phase = if has_events { Phase::Event } else { Phase::Step };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterEventMode(c: *mut c_void) -> Status {
    with(c, |it| {
        if it.instance.is_exchange {
            return enter_event(it, "fmi3EnterEventMode");
        }
        it.instance.expect("fmi3EnterEventMode", &[Phase::Step])?;
        if !it.three.uses_events {
            return Err("the instance was made without event mode".to_string());
        }
        it.instance.phase = Phase::Event;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3Terminate(c: *mut c_void) -> Status {
    with(c, |it| {
        let phases = [Phase::Step, Phase::Event, Phase::Continuous, Phase::Terminated, Phase::Failed];
        it.instance.expect("fmi3Terminate", &phases)?;
        it.instance.terminate();
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3Reset(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.reset();
        Ok(OK)
    })
}

access!(fmi3GetFloat64, fmi3SetFloat64, f64, SlotKind::Real, |value| value, |value| value, count);
access!(fmi3GetInt64, fmi3SetInt64, i64, SlotKind::Integer, |value| value as i64, |value| value as f64, count);
access!(
    fmi3GetBoolean,
    fmi3SetBoolean,
    bool,
    SlotKind::Boolean,
    |value| value == 1.0,
    |value| f64::from(u8::from(value)),
    count
);

/// Functions for types that no variable has.
macro_rules! no_access {
    ($($name:ident($($argument:ty),*))*) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name(c: *mut c_void, _: *const c_uint, n: usize, $(_: $argument),*) -> Status {
                with(c, |_| match n {
                    0 => Ok(OK),
                    _ => Err(concat!(stringify!($name), ": the model has no such variables").to_string()),
                })
            }
        )*
    };
}

no_access! {
    fmi3GetFloat32(*mut f32, usize)
    fmi3SetFloat32(*const f32, usize)
    fmi3GetInt8(*mut i8, usize)
    fmi3SetInt8(*const i8, usize)
    fmi3GetUInt8(*mut u8, usize)
    fmi3SetUInt8(*const u8, usize)
    fmi3GetInt16(*mut i16, usize)
    fmi3SetInt16(*const i16, usize)
    fmi3GetUInt16(*mut u16, usize)
    fmi3SetUInt16(*const u16, usize)
    fmi3GetInt32(*mut i32, usize)
    fmi3SetInt32(*const i32, usize)
    fmi3GetUInt32(*mut u32, usize)
    fmi3SetUInt32(*const u32, usize)
    fmi3GetUInt64(*mut u64, usize)
    fmi3SetUInt64(*const u64, usize)
    fmi3GetString(*mut *const c_char, usize)
    fmi3SetString(*const *const c_char, usize)
    fmi3GetBinary(*mut usize, *mut *const u8, usize)
    fmi3SetBinary(*const usize, *const *const u8, usize)
    fmi3GetClock(*mut bool)
    fmi3SetClock(*const bool)
    fmi3GetIntervalDecimal(*mut f64, *mut c_int)
    fmi3GetIntervalFraction(*mut u64, *mut u64, *mut c_int)
    fmi3GetShiftDecimal(*mut f64)
    fmi3GetShiftFraction(*mut u64, *mut u64)
    fmi3SetIntervalDecimal(*const f64)
    fmi3SetIntervalFraction(*const u64, *const u64)
    fmi3SetShiftDecimal(*const f64)
    fmi3SetShiftFraction(*const u64, *const u64)
    fmi3GetOutputDerivatives(*const c_int, *mut f64, usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfVariableDependencies(c: *mut c_void, _: c_uint, _: *mut usize) -> Status {
    with(c, |_| Err("dependencies are not provided".to_string()))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVariableDependencies(
    c: *mut c_void,
    _: c_uint,
    _: *mut usize,
    _: *mut c_uint,
    _: *mut usize,
    _: *mut c_int,
    _: usize,
) -> Status {
    with(c, |_| Err("dependencies are not provided".to_string()))
}

states! {
    fmi3GetFMUState, fmi3SetFMUState, fmi3FreeFMUState,
    fmi3SerializedFMUStateSize, fmi3SerializeFMUState, fmi3DeserializeFMUState
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetDirectionalDerivative(
    c: *mut c_void,
    unknown: *const c_uint,
    unknown_count: usize,
    known: *const c_uint,
    known_count: usize,
    seed: *const f64,
    seed_count: usize,
    sensitivity: *mut f64,
    sensitivity_count: usize,
) -> Status {
    let (seed, sensitivity) = ((seed, seed_count), (sensitivity, sensitivity_count));
    // SAFETY: promised by the importer.
    unsafe { derivative(c, (unknown, unknown_count), (known, known_count), seed, sensitivity) }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetAdjointDerivative(
    c: *mut c_void,
    _: *const c_uint,
    _: usize,
    _: *const c_uint,
    _: usize,
    _: *const f64,
    _: usize,
    _: *mut f64,
    _: usize,
) -> Status {
    with(c, |_| Err("adjoint derivatives are not provided".to_string()))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterConfigurationMode(c: *mut c_void) -> Status {
    with(c, |_| Err("the model has no structural parameters that can be configured".to_string()))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitConfigurationMode(c: *mut c_void) -> Status {
    with(c, |_| Err("the model has no structural parameters that can be configured".to_string()))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EvaluateDiscreteStates(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.expect("fmi3EvaluateDiscreteStates", &[Phase::Initialization, Phase::Event])?;
        it.instance.begin().map(|()| OK)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3UpdateDiscreteStates(
    c: *mut c_void,
    need_update: *mut bool,
    terminate: *mut bool,
    nominals_changed: *mut bool,
    values_changed: *mut bool,
    has_next: *mut bool,
    next_time: *mut f64,
) -> Status {
    with(c, |it| {
        let Updated { is_over, has_changed, next } = if it.instance.is_exchange {
            update(it, "fmi3UpdateDiscreteStates")?
        } else {
            it.instance.expect("fmi3UpdateDiscreteStates", &[Phase::Event])?;
            it.instance.begin()?;
            Updated { is_over: it.instance.phase == Phase::Terminated, has_changed: false, next: None }
        };
        // SAFETY: promised by the importer.
        unsafe {
            put(need_update, false);
            put(terminate, is_over);
            put(nominals_changed, false);
            put(values_changed, has_changed);
            put(has_next, next.is_some());
            put(next_time, next.unwrap_or(0.0));
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterStepMode(c: *mut c_void) -> Status {
    with(c, |it| {
        it.instance.expect("fmi3EnterStepMode", &[Phase::Event])?;
        if it.instance.is_exchange {
            return Err("fmi3EnterStepMode: this instance is for model exchange".to_string());
        }
        it.instance.phase = Phase::Step;
        Ok(OK)
    })
}

/// Where a part of a step has led.
struct Part {
    outcome: Outcome,
    time: f64,
    uses_events: bool,
    may_return_early: bool,
    update: Option<(IntermediateUpdate, Handle)>,
}

/// Goes on to the end of a step, or to the next event where somebody wants to know.
fn part(it: &mut Component, from: f64, until: f64) -> Wrong<Part> {
    it.instance.expect("fmi3DoStep", &[Phase::Step])?;
    let Three { uses_events, may_return_early, update } = it.three;
    let outcome = it.instance.step(from, (until - from).max(0.0), uses_events || update.is_some())?;
    Ok(Part { outcome, time: it.instance.time(), uses_events, may_return_early, update })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    c: *mut c_void,
    from: f64,
    size: f64,
    _no_set_before: bool,
    event_needed: *mut bool,
    terminate: *mut bool,
    early: *mut bool,
    last: *mut f64,
) -> Status {
    let answer = |needs_event_mode: bool, is_over: bool, is_early: bool| {
        // SAFETY: promised by the importer.
        unsafe {
            put(event_needed, needs_event_mode);
            put(terminate, is_over);
            put(early, is_early);
        }
    };
    answer(false, false, false);
    let (mut begin, until) = (from, from + size);
    if size.is_nan() || size <= 0.0 {
        return with(c, |_| Err(format!("{size} is no step")));
    }
    loop {
        let mut reached = None;
        let status = with(c, |it| {
            let outcome = part(it, begin, until);
            // SAFETY: promised by the importer.
            unsafe { put(last, it.instance.time()) };
            reached = Some(outcome?);
            Ok(OK)
        });
        let Some(Part { outcome, time, uses_events, may_return_early, update }) = reached else { return status };
        let is_there = time >= until || outcome == Outcome::Done;
        let may_return = may_return_early && !is_there;
        // The importer may read values meanwhile, so nothing is held here.
        let wants_return = update.is_some_and(|(update, Handle(environment))| {
            let (mut wants_return, mut return_time) = (false, time);
            // SAFETY: the importer promised that this is its callback.
            unsafe { update(environment, time, false, true, true, may_return, &mut wants_return, &mut return_time) };
            wants_return
        });
        if outcome == Outcome::Terminated {
            answer(false, true, time < until);
            return OK;
        }
        let needs_event_mode = outcome == Outcome::Event && uses_events;
        if is_there || may_return && (needs_event_mode || wants_return) {
            answer(needs_event_mode, false, !is_there);
            return OK;
        }
        begin = time;
    }
}
