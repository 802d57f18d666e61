// Asking the server, and the language server. Paths are relative: the token is part of them.

import { connect, request } from './backend.js';

export async function get(path) {
  const response = await request(path);
  if (!response.ok) throw new Error((await response.text()).trim());
  return response;
}

export async function post(path, body) {
  const response = await request(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

/** Bytes that are asked for with more than an address can hold. */
export async function fetched(path, body) {
  const response = await request(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.arrayBuffer();
}

/** This page: several may ask at once. */
export const own = Math.random().toString(36).slice(2);
let number = 0;

/** Asks the program; a newer question of the same command and purpose ends an older one. */
export function ask(source, command, { purpose = '', ...more } = {}) {
  number += 1;
  return post('api/ask', { ...source, ...more, id: own + command + purpose, number, command });
}

/** A language server: requests, notifications, and who listens to what it says by itself. */
export class LanguageServer {
  constructor(listeners) {
    this.listeners = listeners;
    this.waiting = new Map();
    this.next = 1;
    this.version = 0;
    this.losses = [];
    this.ready = this.connect();
    this.ready.catch(() => this.listeners.closed?.());
  }

  async connect() {
    let isOpen = false;
    const closed = () => {
      if (!isOpen) return;
      this.send = null;
      for (const { reject } of this.waiting.values()) reject(new Error('the language server is gone'));
      this.waiting.clear();
      this.listeners.closed?.();
    };
    this.send = await connect({ message: (it) => this.said(it), closed });
    isOpen = true;
    await this.request('initialize', { capabilities: { workspace: { inlayHint: { refreshSupport: true } } }, processId: null, rootUri: null });
    this.notify('initialized', {});
  }

  /** Connects to another one and opens the text as it is then: `back`; `ended`, where each ends soon; `gone`, where nobody answers. */
  async again(text) {
    const now = Date.now();
    this.losses = [...this.losses.filter((it) => now - it < 30000), now];
    if (this.losses.length > 3) return 'ended';
    const uri = this.uri;
    this.uri = null;
    for (const pause of [50, 300, 800]) {
      await new Promise((resolve) => { setTimeout(resolve, pause); });
      this.ready = this.connect();
      try {
        await this.ready;
        if (!this.uri && uri) this.open(uri, text());
        return 'back';
      } catch { /* Once more. */ }
    }
    this.uri = uri;
    return 'gone';
  }

  said(message) {
    if (message.method && message.id !== undefined) {
      this.send?.({ jsonrpc: '2.0', id: message.id, result: null });
      this.listeners[message.method]?.();
    } else if (message.method) {
      this.listeners[message.method]?.(message.params);
    } else {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) waiting?.reject(new Error(message.error.message));
      else waiting?.resolve(message.result);
    }
  }

  request(method, params) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (!this.send) { reject(new Error('the language server is gone')); return; }
      this.waiting.set(id, { resolve, reject });
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  notify(method, params) {
    this.send?.({ jsonrpc: '2.0', method, params });
  }

  open(uri, text) {
    if (this.uri) this.notify('textDocument/didClose', { textDocument: { uri: this.uri } });
    this.uri = uri;
    this.version += 1;
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'modelica', version: this.version, text } });
    if (this.model) this.lookAt(this.model);
  }

  /** Which model of the text is judged; none: the last one. */
  lookAt(model) {
    this.model = model;
    if (this.uri) this.notify('modeshift/model', { textDocument: { uri: this.uri }, model });
  }

  /** Sends what changed between two texts. */
  change(before, after) {
    if (before === after) return;
    let start = 0;
    const shorter = Math.min(before.length, after.length);
    while (start < shorter && before[start] === after[start]) start += 1;
    let end = 0;
    while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
    // A pair of surrogates is one character.
    const inside = (text, at) => at > 0 && at < text.length && /[\uDC00-\uDFFF]/.test(text[at]);
    while (start > 0 && (inside(before, start) || inside(after, start))) start -= 1;
    while (end > 0 && (inside(before, before.length - end) || inside(after, after.length - end))) end -= 1;
    this.version += 1;
    this.notify('textDocument/didChange', {
      textDocument: { uri: this.uri, version: this.version },
      contentChanges: [{ range: { start: position(before, start), end: position(before, before.length - end) }, text: after.slice(start, after.length - end) }],
    });
  }

  at(method, text, offset, more = {}) {
    return this.request(`textDocument/${method}`, { textDocument: { uri: this.uri }, position: position(text, offset), ...more });
  }
}

/** Line and character of an index. */
export function position(text, index) {
  const before = text.slice(0, index);
  const line = before.split('\n').length - 1;
  return { line, character: index - (before.lastIndexOf('\n') + 1) };
}

/** The index of a line and character. */
export function index(text, { line, character }) {
  let at = 0;
  for (let n = 0; n < line; n += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  const end = text.indexOf('\n', at);
  return Math.min(at + character, end < 0 ? text.length : end);
}

/** One of something, or several. */
export const counted = (count, one, several = `${one}s`) => `${count} ${String(count) === '1' ? one : several}`;

/** A whole number as its digits; one that nobody reads to the end, by its size. */
export const sized = (digits) => (digits.length > 9 ? `${digits[0]}.${digits[1]}·10^${digits.length - 1}` : digits);

/** A new element with attributes, listeners and children. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
