// Formulas over mode variables, as the program prints them: `not bh and (bl or x > 1)`, `pre(g)` in mode changes.
// Names may be relations with blanks in them, so that the longest name that fits is taken.

const PLAIN = /(?:[A-Za-z_]\w*|'[^']*')(?:\[[\d, ]+\])?(?:\.(?:[A-Za-z_]\w*|'[^']*')(?:\[[\d, ]+\])?)*/y;

/** Names by how they are found: those that look like names in a set, the others from the longest on. */
const known = new WeakMap();

function index(names) {
  if (!known.has(names)) {
    const isPlain = (name) => { PLAIN.lastIndex = 0; return PLAIN.exec(name)?.[0] === name; };
    const others = names.filter((name) => !isPlain(name)).sort((one, other) => other.length - one.length);
    known.set(names, { plain: new Set(names.filter(isPlain)), others, formulas: new Map() });
  }
  return known.get(names);
}

/** A function from a valuation (a Map of names) to true or false; `pre(name)` is looked up as it is written. */
export function compile(text, names) {
  if (text === 'true') return () => true;
  if (text === 'false') return () => false;
  const { plain, others } = index(names);
  let at = 0;
  const blank = () => { while (text[at] === ' ' || text[at] === '\n') at += 1; };
  const word = (expected) => {
    blank();
    if (!text.startsWith(expected, at)) return false;
    const next = text[at + expected.length];
    if (/\w$/.test(expected) && next !== undefined && /\w/.test(next)) return false;
    at += expected.length;
    return true;
  };
  const name = () => {
    blank();
    const before = text.startsWith('pre(', at) ? 4 : 0;
    const start = at + before;
    let found = others.find((candidate) => text.startsWith(candidate, start));
    if (found === undefined) {
      PLAIN.lastIndex = start;
      const word = PLAIN.exec(text)?.[0];
      if (plain.has(word)) found = word;
    }
    if (found === undefined || (before && text[start + found.length] !== ')')) throw new Error(`no mode variable at “${text.slice(at, at + 20)}”`);
    at = start + found.length + (before ? 1 : 0);
    const form = before ? `pre(${found})` : found;
    return (values) => values.get(form) === true;
  };
  const primary = () => {
    if (word('not')) { const inner = primary(); return (values) => !inner(values); }
    const start = at;
    try { return name(); } catch (error) { at = start; }
    if (word('true')) return () => true;
    if (word('false')) return () => false;
    if (word('(')) {
      const inner = disjunction();
      if (!word(')')) throw new Error('expected )');
      return inner;
    }
    throw new Error(`cannot read “${text.slice(at)}”`);
  };
  const chain = (operator, operand, combine) => {
    const parts = [operand()];
    while (word(operator)) parts.push(operand());
    return parts.length === 1 ? parts[0] : (values) => combine(parts, values);
  };
  const conjunction = () => chain('and', primary, (parts, values) => parts.every((part) => part(values)));
  const disjunction = () => chain('or', conjunction, (parts, values) => parts.some((part) => part(values)));
  const result = disjunction();
  blank();
  if (at < text.length) throw new Error(`cannot read “${text.slice(at)}”`);
  return result;
}

/** The same, read once for each list of names, where what cannot be read holds nowhere. */
export function compiled(text, names) {
  const { formulas } = index(names);
  if (!formulas.has(text)) {
    let formula = () => false;
    try { formula = compile(text, names); } catch { /* Nowhere. */ }
    formulas.set(text, formula);
  }
  return formulas.get(text);
}

/** All valuations of the names that satisfy a formula, at most so many; null where there would be more to try. */
export function valuations(names, invariant, most) {
  if (names.length > 12) return null;
  const holds = compiled(invariant, names);
  const found = [];
  for (let bits = 0; bits < 2 ** names.length; bits += 1) {
    const values = new Map(names.map((name, at) => [name, (bits >> at & 1) === 1]));
    if (holds(values)) found.push(values);
    if (found.length > most) return null;
  }
  return found;
}

export const modeText = (values) => [...values].map(([name, value]) => `${name}=${value}`).join(', ');
