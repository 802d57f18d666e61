//! What the functions of FMI 2.0 and 3.0 have in common: instances are made, values are read and set, states are handed out and taken back.
//! The standards differ in names and in how lists and truths are passed, which is what [`fmi2`](crate::fmi2) and [`fmi3`](crate::fmi3) say.

use std::collections::BTreeMap;
use std::ffi::{CString, c_uint, c_void};
use std::panic::{UnwindSafe, catch_unwind};

use modeshift_fmu::SlotKind;

use crate::fmi3::Three;
use crate::instance::{Instance, Phase, Wrong};
use crate::pointers::{Component, DISCARD, Logger, OK, Status, keep, list, put, room, tell, with};

/// A new instance, or null: the importer is told why.
pub fn instantiate(
    name: Wrong<&str>,
    logger: Logger,
    is_logging: bool,
    three: Three,
    make: impl FnOnce() -> Wrong<Instance> + UnwindSafe,
) -> *mut c_void {
    let own_name = name.as_ref().ok().and_then(|name| CString::new(*name).ok()).unwrap_or_default();
    let made =
        name.and_then(|_| catch_unwind(make).unwrap_or_else(|_| Err("a fault of the engine itself".to_string())));
    match made {
        Ok(instance) => keep(Component {
            instance,
            name: own_name,
            is_logging,
            logger,
            states: BTreeMap::new(),
            three,
            is_terminated: false,
        }),
        Err(message) => {
            tell(logger, &own_name, &message);
            std::ptr::null_mut()
        }
    }
}

/// That there is a value for each variable.
pub fn check_counts(references: usize, values: usize) -> Wrong<()> {
    match references == values {
        true => Ok(()),
        false => Err(format!("{values} values for {references} variables, which are no arrays")),
    }
}

/// Gets values of one type.
///
/// # Safety
/// There are so many references and there is room for so many values.
pub unsafe fn get<T>(
    c: *mut c_void,
    (references, count): (*const c_uint, usize),
    (values, value_count): (*mut T, usize),
    kind: SlotKind,
    convert: impl Fn(f64) -> T,
) -> Status {
    with(c, |it| {
        check_counts(count, value_count)?;
        // SAFETY: promised by the caller.
        let (references, values) = unsafe { (list(references, count)?, room(values, count)?) };
        for (&reference, value) in references.iter().zip(values) {
            let at = it.instance.slot_of(reference, kind)?;
            *value = convert(it.instance.get(at)?);
        }
        Ok(OK)
    })
}

/// Sets values of one type.
///
/// # Safety
/// There are so many references and values.
pub unsafe fn set<T: Copy>(
    c: *mut c_void,
    (references, count): (*const c_uint, usize),
    (values, value_count): (*const T, usize),
    kind: SlotKind,
    convert: impl Fn(T) -> f64,
) -> Status {
    with(c, |it| {
        check_counts(count, value_count)?;
        // SAFETY: promised by the caller.
        let (references, values) = unsafe { (list(references, count)?, list(values, count)?) };
        for (&reference, &value) in references.iter().zip(values) {
            let at = it.instance.slot_of(reference, kind)?;
            it.instance.set(at, convert(value))?;
        }
        Ok(OK)
    })
}

/// How many values there are: as many as variables, or as the importer says.
macro_rules! value_count {
    ($references:ident) => {
        $references
    };
    ($references:ident, $values:ident) => {
        $values
    };
}
pub(crate) use value_count;

/// The functions that read and set variables of one type; where the standard passes how many values there are, with that.
macro_rules! access {
    ($get:ident, $set:ident, $type:ty, $kind:expr, $out:expr, $in:expr $(, $count:ident)?) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(c: *mut c_void, vr: *const c_uint, n: usize, to: *mut $type $(, $count: usize)?) -> Status {
            // SAFETY: promised by the importer.
            unsafe { crate::calls::get(c, (vr, n), (to, crate::calls::value_count!(n $(, $count)?)), $kind, $out) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(c: *mut c_void, vr: *const c_uint, n: usize, of: *const $type $(, $count: usize)?) -> Status {
            // SAFETY: promised by the importer.
            unsafe { crate::calls::set(c, (vr, n), (of, crate::calls::value_count!(n $(, $count)?)), $kind, $in) }
        }
    };
}
pub(crate) use access;

/// The functions that hand out states and take them back, by their names.
macro_rules! states {
    ($get:ident, $set:ident, $free:ident, $size:ident, $serialize:ident, $deserialize:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(c: *mut c_void, state: *mut *mut c_void) -> Status {
            // SAFETY: promised by the importer.
            unsafe { crate::calls::get_state(c, state) }
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $set(c: *mut c_void, state: *mut c_void) -> Status {
            crate::calls::set_state(c, state)
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $free(c: *mut c_void, state: *mut *mut c_void) -> Status {
            // SAFETY: promised by the importer.
            unsafe { crate::calls::free_state(c, state) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $size(c: *mut c_void, state: *mut c_void, size: *mut usize) -> Status {
            // SAFETY: promised by the importer.
            unsafe { crate::calls::state_size(c, state, size) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $serialize(c: *mut c_void, state: *mut c_void, to: *mut u8, size: usize) -> Status {
            // SAFETY: promised by the importer.
            unsafe { crate::calls::serialize(c, state, (to, size)) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $deserialize(
            c: *mut c_void,
            from: *const u8,
            size: usize,
            state: *mut *mut c_void,
        ) -> Status {
            // SAFETY: promised by the importer.
            unsafe { crate::calls::deserialize(c, (from, size), state) }
        }
    };
}
pub(crate) use states;

/// Hands out a state: a new one, or the one that was handed out before, with what is now.
///
/// # Safety
/// Where the pointer is not null, a pointer can be read and written there.
pub unsafe fn get_state(c: *mut c_void, state: *mut *mut c_void) -> Status {
    with(c, |it| {
        // SAFETY: promised by the caller.
        let Some(state) = (unsafe { state.as_mut() }) else { return Err("room for a state is missing".to_string()) };
        let own = Box::new(it.instance.state()?);
        match it.states.get_mut(&(*state as usize)) {
            Some(known) => **known = *own,
            None => {
                let address = &raw const *own as usize;
                it.states.insert(address, own);
                *state = address as *mut c_void;
            }
        }
        Ok(OK)
    })
}

/// Comes back to a state that was handed out.
pub fn set_state(c: *mut c_void, state: *mut c_void) -> Status {
    with(c, |it| {
        let Some(known) = it.states.get(&(state as usize)).cloned() else {
            return Err("there is no such state".to_string());
        };
        it.instance.restore(&known)?;
        it.is_terminated = it.instance.phase == Phase::Terminated;
        Ok(OK)
    })
}

/// Forgets a state that was handed out.
///
/// # Safety
/// Where the pointer is not null, a pointer can be read and written there.
pub unsafe fn free_state(c: *mut c_void, state: *mut *mut c_void) -> Status {
    with(c, |it| {
        // SAFETY: promised by the caller.
        let Some(state) = (unsafe { state.as_mut() }) else { return Ok(OK) };
        if !state.is_null() && it.states.remove(&(*state as usize)).is_none() {
            return Err("there is no such state".to_string());
        }
        *state = std::ptr::null_mut();
        Ok(OK)
    })
}

/// The bytes of a state that was handed out.
fn state_bytes(it: &Component, state: *mut c_void) -> Wrong<Vec<u8>> {
    let known = it.states.get(&(state as usize)).ok_or("there is no such state")?;
    Ok(it.instance.serialized(known))
}

/// How many bytes a state has.
///
/// # Safety
/// Where the pointer is not null, a size can be written there.
pub unsafe fn state_size(c: *mut c_void, state: *mut c_void, size: *mut usize) -> Status {
    with(c, |it| {
        let bytes = state_bytes(it, state)?;
        // SAFETY: promised by the caller.
        unsafe { put(size, bytes.len()) };
        Ok(OK)
    })
}

/// Writes a state as bytes.
///
/// # Safety
/// There is room for so many bytes.
pub unsafe fn serialize(c: *mut c_void, state: *mut c_void, (to, size): (*mut u8, usize)) -> Status {
    with(c, |it| {
        let bytes = state_bytes(it, state)?;
        // SAFETY: promised by the caller.
        let room = unsafe { room(to, size) }?;
        let Some(place) = room.get_mut(..bytes.len()) else { return Err("the room is too small".to_string()) };
        place.copy_from_slice(&bytes);
        Ok(OK)
    })
}

/// Hands out a state that bytes say.
///
/// # Safety
/// There are so many bytes, and where the pointer is not null, a pointer can be written there.
pub unsafe fn deserialize(c: *mut c_void, (from, size): (*const u8, usize), state: *mut *mut c_void) -> Status {
    with(c, |it| {
        // SAFETY: promised by the caller.
        let (bytes, state) = unsafe { (list(from, size)?, state.as_mut()) };
        let Some(state) = state else { return Err("room for a state is missing".to_string()) };
        let own = Box::new(it.instance.deserialized(bytes)?);
        let address = &raw const *own as usize;
        it.states.insert(address, own);
        *state = address as *mut c_void;
        Ok(OK)
    })
}

/// Derivatives in a direction.
///
/// # Safety
/// There are so many references and seeds, and there is room for as many results as there are unknowns.
pub unsafe fn derivative(
    c: *mut c_void,
    (unknown, unknown_count): (*const c_uint, usize),
    (known, known_count): (*const c_uint, usize),
    (seed, seed_count): (*const f64, usize),
    (sensitivity, sensitivity_count): (*mut f64, usize),
) -> Status {
    with(c, |it| {
        check_counts(known_count, seed_count)?;
        check_counts(unknown_count, sensitivity_count)?;
        // SAFETY: promised by the caller.
        let (unknown, known, seed, sensitivity) = unsafe {
            let (unknowns, knowns) = (list(unknown, unknown_count)?, list(known, known_count)?);
            (unknowns, knowns, list(seed, known_count)?, room(sensitivity, unknown_count)?)
        };
        let phases = [Phase::Initialization, Phase::Event, Phase::Step, Phase::Continuous];
        it.instance.expect("the derivative", &phases)?;
        let places = |list: &[c_uint]| -> Wrong<Vec<usize>> {
            list.iter().map(|&reference| it.instance.slot_of(reference, SlotKind::Real)).collect()
        };
        let (unknowns, knowns) = (places(unknown)?, places(known)?);
        let found = it.instance.derivative(&unknowns, &knowns, seed)?;
        sensitivity.copy_from_slice(&found);
        Ok(OK)
    })
}

/// What came of an event.
pub struct Updated {
    /// Whether the model has ended the run.
    pub is_over: bool,
    /// Whether states have other values.
    pub has_changed: bool,
    /// When the next one is due.
    pub next: Option<f64>,
}

/// The phases in which states can be looked at.
const WITH_STATES: [Phase; 3] = [Phase::Initialization, Phase::Event, Phase::Continuous];

/// Passes an event of a model that the importer integrates.
pub fn update(it: &mut Component, function: &str) -> Wrong<Updated> {
    it.instance.exchanged(function, &[Phase::Event])?;
    let has_changed = it.instance.update()?;
    let is_over = it.instance.phase == Phase::Terminated;
    let next = match is_over {
        true => None,
        false => it.instance.exchanged(function, &[Phase::Event])?.next,
    };
    Ok(Updated { is_over, has_changed, next })
}

/// The importer begins an event.
pub fn enter_event(it: &mut Component, function: &str) -> Wrong<Status> {
    it.instance.exchanged(function, &[Phase::Continuous])?.enter_event();
    it.instance.phase = Phase::Event;
    Ok(OK)
}

/// The importer goes on; what was set at the event and not passed is passed.
pub fn enter_continuous_time(c: *mut c_void, function: &str) -> Status {
    with(c, |it| {
        it.instance.exchanged(function, &[Phase::Event])?;
        it.instance.update()?;
        it.instance.expect(function, &[Phase::Event])?;
        it.instance.phase = Phase::Continuous;
        Ok(OK)
    })
}

/// The importer is at another time.
pub fn set_time(c: *mut c_void, function: &str, time: f64) -> Status {
    with(c, |it| {
        if !time.is_finite() {
            return Err(format!("{time} is no time"));
        }
        it.instance.exchanged(function, &[Phase::Event, Phase::Continuous])?.set_time(time);
        Ok(OK)
    })
}

/// The importer has other states.
///
/// # Safety
/// There are so many values.
pub unsafe fn set_states(c: *mut c_void, function: &str, (values, count): (*const f64, usize)) -> Status {
    with(c, |it| {
        // SAFETY: promised by the caller.
        let values = unsafe { list(values, count) }?;
        let exchange = it.instance.exchanged(function, &[Phase::Continuous])?;
        check_length(exchange.states.len(), count)?;
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(format!("{value} is no value of a state"));
        }
        exchange.set_states(values);
        Ok(OK)
    })
}

fn check_length(needed: usize, given: usize) -> Wrong<()> {
    match needed == given {
        true => Ok(()),
        false => Err(format!("there are {needed} of them, not {given}")),
    }
}

/// Gives all values of one sort to the importer.
///
/// # Safety
/// There is room for so many values.
unsafe fn fill(
    c: *mut c_void,
    function: &str,
    (values, count): (*mut f64, usize),
    of: impl FnOnce(&mut crate::exchange::Exchanged) -> Result<Vec<f64>, modeshift_diagnostics::Diagnostics>,
) -> Status {
    with(c, |it| {
        // SAFETY: promised by the caller.
        let room = unsafe { room(values, count) }?;
        match of(it.instance.exchanged(function, &WITH_STATES)?) {
            Ok(found) => {
                check_length(found.len(), count)?;
                room.copy_from_slice(&found);
                Ok(OK)
            }
            Err(said) => {
                // There is nothing here: a shorter step may do.
                let message = it.instance.no_value(&said);
                it.tell(&message);
                Ok(DISCARD)
            }
        }
    })
}

/// The states.
///
/// # Safety
/// There is room for so many values.
pub unsafe fn get_states(c: *mut c_void, function: &str, room: (*mut f64, usize)) -> Status {
    // SAFETY: promised by the caller.
    unsafe { fill(c, function, room, |it| Ok(it.states.clone())) }
}

/// Their derivatives.
///
/// # Safety
/// There is room for so many values.
pub unsafe fn get_derivatives(c: *mut c_void, function: &str, room: (*mut f64, usize)) -> Status {
    // SAFETY: promised by the caller.
    unsafe { fill(c, function, room, |it| it.point().map(|point| point.derivatives.clone())) }
}

/// The event indicators.
///
/// # Safety
/// There is room for so many values.
pub unsafe fn get_indicators(c: *mut c_void, function: &str, room: (*mut f64, usize)) -> Status {
    // SAFETY: promised by the caller.
    unsafe { fill(c, function, room, |it| it.point().map(|point| point.indicators.clone())) }
}

/// The nominal values of the states.
///
/// # Safety
/// There is room for so many values.
pub unsafe fn get_nominals(c: *mut c_void, function: &str, room: (*mut f64, usize)) -> Status {
    // SAFETY: promised by the caller.
    unsafe { fill(c, function, room, |it| Ok(it.nominals())) }
}
