//! Random numbers of known sequences: the xorshift generators of Marsaglia and Vigna, on states that are made of 32-bit Integers, and
//! what makes such Integers of a Real.
//!
//! The next state and the number are functions of the state before, bit by bit; as derivatives they have none.

use crate::native::NativeFunction;

/// 2^-64
const SCALE: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// The function of this name: `(state…)` to `(number, state…)`.
pub(super) fn native(method: &str) -> Option<NativeFunction> {
    Some(match method {
        "xorshift64star" => generator(2, |words, _| {
            let mut x = words[0];
            x ^= x >> 12;
            x ^= x << 25;
            x ^= x >> 27;
            words[0] = x.wrapping_mul(2_685_821_657_736_338_717);
            words[0]
        }),
        "xorshift128plus" => generator(4, |words, _| {
            let (mut first, second) = (words[0], words[1]);
            first ^= first << 23;
            words[0] = second;
            words[1] = (first ^ second ^ (first >> 17) ^ (second >> 26)).wrapping_add(second);
            words[1]
        }),
        "xorshift1024star" => generator(33, |words, place| {
            let at = *place & 15;
            let next = (at + 1) & 15;
            let (mut before, mut word) = (words[at], words[next]);
            word ^= word << 31;
            word ^= word >> 11;
            before ^= before >> 30;
            words[next] = before ^ word;
            *place = next;
            words[next].wrapping_mul(1_181_783_497_276_652_981)
        }),
        "convertRealToIntegers" => flat(|inputs, outputs| {
            let Some(&number) = inputs.first() else { return };
            outputs.iter_mut().zip(halves(number.to_bits())).for_each(|(place, half)| *place = f64::from(half));
        }),
        _ => return None,
    })
}

/// A generator on states of so many Integers: pairs of them are words, the lower half first, and one that is left over is a place.
fn generator(size: usize, next: impl Fn(&mut [u64], &mut usize) -> u64 + Send + Sync + 'static) -> NativeFunction {
    flat(move |inputs, outputs| {
        if inputs.len() != size || outputs.len() != size + 1 || inputs.iter().any(|it| !it.is_finite()) {
            outputs.fill(f64::NAN);
            return;
        }
        let half = |value: f64| u64::from(value as i64 as u32);
        let pairs = inputs.chunks_exact(2);
        let mut place = pairs.remainder().first().map_or(0, |&it| it.max(0.0) as usize);
        let mut words: Vec<u64> = pairs.map(|pair| half(pair[0]) | half(pair[1]) << 32).collect();
        let drawn = next(&mut words, &mut place);
        outputs[0] = drawn as i64 as f64 * SCALE + 0.5;
        let state = words.into_iter().flat_map(halves).map(f64::from).chain([place as f64]);
        outputs[1..].iter_mut().zip(state).for_each(|(place, value)| *place = value);
    })
}

fn halves(word: u64) -> [i32; 2] {
    [word as u32 as i32, (word >> 32) as u32 as i32]
}

/// A function that stands still between its values.
fn flat(function: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static) -> NativeFunction {
    NativeFunction::new(function).with_partial(|_, _, outputs| outputs.fill(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(method: &str, state: &mut Vec<f64>) -> f64 {
        let mut outputs = vec![0.0; state.len() + 1];
        native(method).expect("a generator").evaluate(state, &mut outputs);
        *state = outputs[1..].to_vec();
        outputs[0]
    }

    #[test]
    fn the_first_numbers_are_those_of_the_published_algorithms() {
        // By hand from the state 1, 0: the words 2^25 + 1 and what it is multiplied by.
        let mut state = vec![1.0, 0.0];
        let word = (0x0200_0001u64).wrapping_mul(2_685_821_657_736_338_717);
        assert_eq!(drawn("xorshift64star", &mut state), word as i64 as f64 * SCALE + 0.5);
        assert_eq!(state, halves(word).map(f64::from));
        // From the words 1 and 2: 1 ^ 1 << 23, and so on.
        let mut state = vec![1.0, 0.0, 2.0, 0.0];
        let first: u64 = 1 ^ 1 << 23;
        let word = (first ^ 2 ^ first >> 17) + 2;
        assert_eq!(drawn("xorshift128plus", &mut state), word as f64 * SCALE + 0.5);
        assert_eq!(state, [2.0, 0.0, word as f64, 0.0]);
        let mut state = vec![0.0; 33];
        (state[0], state[2]) = (1.0, 1.0);
        let word: u64 = (1 ^ 1 << 31) ^ (1 ^ 1 << 31) >> 11 ^ 1;
        let drawn = drawn("xorshift1024star", &mut state);
        assert_eq!(drawn, word.wrapping_mul(1_181_783_497_276_652_981) as i64 as f64 * SCALE + 0.5);
        assert_eq!((state[32], &state[2..4]), (1.0, &halves(word).map(f64::from)[..]));
    }

    #[test]
    fn numbers_lie_between_zero_and_one_and_integers_have_a_sign() {
        let mut state = vec![-1.0, 2_147_483_647.0, -2_147_483_648.0, 7.0];
        for _ in 0..1_000 {
            let number = drawn("xorshift128plus", &mut state);
            assert!((0.0..=1.0).contains(&number), "{number}");
            assert!(state.iter().all(|it| it.fract() == 0.0 && it.abs() <= 2_147_483_648.0), "{state:?}");
        }
        let mut outputs = [0.0; 2];
        native("convertRealToIntegers").expect("known").evaluate(&[-1.5], &mut outputs);
        assert_eq!(outputs, [0.0, f64::from(0xBFF8_0000u32 as i32)]);
    }
}
