// An engine: takes the compiled code and the files, then calls, one by one.

let engine;
let said = '';

const host = {
  now: () => performance.now(),
  write: (result, position, at, length) => {
    const bytes = new Uint8Array(engine.memory.buffer, at, length).slice();
    postMessage({ result, position, bytes }, [bytes.buffer]);
  },
  fault: (at, length) => { said = read(at, length); },
};

const read = (at, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, length));

function call(name, body) {
  const text = new TextEncoder().encode(JSON.stringify(body));
  const at = engine.allocate(text.length);
  new Uint8Array(engine.memory.buffer, at, text.length).set(text);
  const passed = BigInt.asUintN(64, engine[name](at, text.length));
  return read(Number(passed >> 32n), Number(passed & 0xffffffffn));
}

function fault(error) {
  if (error instanceof RangeError) return 'the model nests deeper than the stack of this browser; the program on your machine has a larger one';
  if (said) return `this is a bug in modeshift, not in your model; please report it with the model: ${said}`;
  return `the engine has ended: ${error.message}`;
}

onmessage = ({ data }) => {
  try {
    if (data.module) {
      engine = new WebAssembly.Instance(data.module, { host }).exports;
      engine.begin();
      data.files.forEach((file) => call('have', file));
    } else {
      postMessage({ answer: call(data.name, data.body) });
    }
  } catch (error) {
    postMessage({ fault: fault(error) });
  }
};
