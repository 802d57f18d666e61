// Who answers the page: the server that it came from. A page without a server has `alone.js` in its place.

/** Whether there is no server. */
export const isAlone = false;

export const request = (path, options) => fetch(path, options);

/** A language server: how to send it a message, once it listens. */
export function connect({ message, closed }) {
  const url = new URL('lsp', location.href);
  url.protocol = 'ws:';
  const socket = new WebSocket(url);
  socket.onmessage = (event) => message(JSON.parse(event.data));
  socket.onclose = closed;
  return new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error('there is no language server'));
    socket.onopen = () => resolve((it) => { if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(it)); });
  });
}
