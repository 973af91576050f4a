import { assertEquals, assertThrows } from "@std/assert";
import { framingOf, keepsAlive } from "../../../../src/client/http/body_framing.ts";
import { ChunkedDecoder } from "../../../../src/client/http/chunked_decoder.ts";
import { requestBytes } from "../../../../src/client/http/request_bytes.ts";
import { findHeadEnd, parseHead, type ResponseHead } from "../../../../src/client/http/response_head.ts";
import { ConnectionError } from "../../../../src/client/mod.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const head = (...lines: string[]): ResponseHead => parseHead(encode(`${lines.join("\r\n")}\r\n\r\n`));

Deno.test("parseHead reads the status and headers, names in lower case, values trimmed and in order", () => {
  const parsed = head("HTTP/1.1 429 Too Many", "Retry-After: \t 5 ", "WARNING: a", "warning: b", "Empty:");
  assertEquals(parsed.status, 429);
  assertEquals([...parsed.headers], [["retry-after", ["5"]], ["warning", ["a", "b"]], ["empty", [""]]]);
});

Deno.test("parseHead accepts a status line without a reason", () => {
  assertEquals([head("HTTP/1.1 200").status, head("HTTP/1.1 200 ").status, head("HTTP/1.0 200 OK").isHttp10], [
    200,
    200,
    true,
  ]);
});

const BAD_HEADS: readonly (readonly string[])[] = [
  ["HTTP/2 200 OK"],
  ["HTTP/1.1 2000 OK"],
  ["HTTP/1.1 099 OK"],
  ["HTTP/1.1  200 OK"],
  ["http/1.1 200 OK"],
  ["200 OK"],
  [""],
  ["SSH-2.0-OpenSSH_9.6"],
  ["HTTP/1.1 200 OK", "no colon"],
  ["HTTP/1.1 200 OK", ": no name"],
  ["HTTP/1.1 200 OK", "space : in name"],
  ["HTTP/1.1 200 OK", "A: b", " folded"],
  ["HTTP/1.1 200 OK", "A: b\nB: c"],
  ["HTTP/1.1 200 OK", "A: b\rB: c"],
  ["HTTP/1.1 200 OK", "A: \0"],
];

for (const lines of BAD_HEADS) {
  Deno.test(`parseHead refuses ${JSON.stringify(lines.join("|"))}`, () => {
    assertThrows(() => head(...lines), ConnectionError, "malformed HTTP");
  });
}

Deno.test("findHeadEnd finds the blank line only when it is whole, and only within the bytes read", () => {
  const bytes = encode("A: b\r\n\r\nbody\r\n\r\n");
  assertEquals(findHeadEnd(bytes, 0, bytes.length), 8);
  for (let end = 0; end < 8; end++) assertEquals(findHeadEnd(bytes, 0, end), -1);
  assertEquals(findHeadEnd(encode("A: b\n\nx"), 0, 7), -1);
});

Deno.test("framingOf knows the bodies that never are", () => {
  const long = head("HTTP/1.1 200 OK", "Content-Length: 5");
  assertEquals(framingOf(long, "HEAD"), { kind: "none" });
  assertEquals(framingOf(head("HTTP/1.1 204 No Content", "Content-Length: 5"), "GET"), { kind: "none" });
  assertEquals(framingOf(head("HTTP/1.1 304 Not Modified", "Transfer-Encoding: chunked"), "GET"), { kind: "none" });
  assertEquals(framingOf(head("HTTP/1.1 200 OK", "Content-Length: 0"), "GET"), { kind: "none" });
});

Deno.test("framingOf goes by the coding, the length, or the end of the connection", () => {
  const framing = (...lines: string[]) => framingOf(head("HTTP/1.1 200 OK", ...lines), "GET");
  assertEquals(framing("Content-Length: 5"), { kind: "length", length: 5 });
  assertEquals(framing("Content-Length: 5", "Content-Length: 5"), { kind: "length", length: 5 });
  assertEquals(framing("Transfer-Encoding: Chunked"), { kind: "chunked" });
  assertEquals(framing(), { kind: "close" });
});

for (
  const lines of [
    ["Content-Length: 5", "Content-Length: 6"],
    ["Content-Length: -1"],
    ["Content-Length: +5"],
    ["Content-Length: 5, 5"],
    ["Content-Length: 0x5"],
    ["Content-Length: 9999999999999999"],
    ["Content-Length: "],
    ["Content-Length: 5", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: identity"],
  ]
) {
  Deno.test(`framingOf refuses ${lines.join(" and ")}`, () => {
    assertThrows(() => framingOf(head("HTTP/1.1 200 OK", ...lines), "GET"), ConnectionError);
  });
}

Deno.test("framingOf refuses chunks from an HTTP/1.0 server", () => {
  assertThrows(() => framingOf(head("HTTP/1.0 200 OK", "Transfer-Encoding: chunked"), "GET"), ConnectionError);
});

Deno.test("keepsAlive goes by the version, the Connection header and the framing", () => {
  const none = { kind: "none" } as const;
  assertEquals(keepsAlive(head("HTTP/1.1 200 OK"), none), true);
  assertEquals(keepsAlive(head("HTTP/1.1 200 OK", "Connection: Upgrade, Close"), none), false);
  assertEquals(keepsAlive(head("HTTP/1.0 200 OK"), none), false);
  assertEquals(keepsAlive(head("HTTP/1.0 200 OK", "Connection: keep-alive"), none), true);
  assertEquals(keepsAlive(head("HTTP/1.1 200 OK"), { kind: "close" }), false);
});

/** Decodes in pieces of `step` bytes. */
function unchunk(text: string, step = Infinity): { payload: string; done: boolean; left: string } {
  const decoder = new ChunkedDecoder();
  const input = encode(text);
  let payload = "";
  let at = 0;
  while (at < input.length && !decoder.done) {
    const end = Math.min(input.length, at + step);
    const { payloadEnd, readTo } = decoder.decode(input, at, end);
    payload += decode(input.subarray(at, payloadEnd));
    at = readTo;
  }
  return { payload, done: decoder.done, left: decode(input.subarray(at)) };
}

Deno.test("ChunkedDecoder: any split of the input gives the same payload; after the end done is true, and bytes that follow are left alone", () => {
  const text = '5;a="b;c"\r\nhello\r\n1 \r\n,\r\n0A\r\n big world\r\n000\r\nX-Trailer: 1\r\nY: 2\r\n\r\nnext';
  for (const step of [1, 2, 3, 7, 1000]) {
    assertEquals(unchunk(text, step), { payload: "hello, big world", done: true, left: "next" });
  }
});

Deno.test("ChunkedDecoder: chunk extensions and trailers are read over, and bounded", () => {
  const text = (extension: number, trailers: number) =>
    `2;${"x".repeat(extension)}\r\nab\r\n0\r\n${"A: b\r\n".repeat(trailers)}\r\n`;
  assertEquals(unchunk(text(1000, 100)), { payload: "ab", done: true, left: "" });
  assertThrows(() => unchunk(text(5000, 0)), ConnectionError, "malformed chunked encoding");
  assertThrows(() => unchunk(text(0, 4000)), ConnectionError, "malformed chunked encoding");
});

Deno.test("ChunkedDecoder is not done before the last newline", () => {
  const text = "2\r\nab\r\n0\r\n\r\n";
  for (let end = 0; end < text.length; end++) assertEquals(unchunk(text.slice(0, end)).done, false);
});

for (
  const [why, text] of Object.entries({
    "no size": "\r\nab",
    "a negative size": "-1\r\n",
    "no hexadecimal digit": "g\r\n",
    "a size without end": "1".repeat(14),
    "a bare newline after the size": "2\nab\r\n",
    "a chunk longer than its size": "2\r\nabc\r\n",
    "a bare newline after the chunk": "2\r\nab\n0\r\n\r\n",
    "a space before the size": " 2\r\nab\r\n",
    "a newline in an extension": "2;a\nb\r\nab\r\n",
  })
) {
  Deno.test(`ChunkedDecoder: malformed input is an error: ${why}`, () => {
    assertThrows(() => unchunk(text), ConnectionError, "malformed chunked encoding");
  });
}

Deno.test("requestBytes writes a request with its length in bytes and repeated headers line by line", () => {
  const request = {
    method: "POST",
    url: "",
    headers: { accept: "a/b", "impersonate-group": ["x", "y\u00e9"] },
    body: '{"a":"\u00e9"}',
  };
  assertEquals(
    decode(requestBytes(request, { host: "h:1", path: "/p?q" })),
    "POST /p?q HTTP/1.1\r\nHost: h:1\r\naccept: a/b\r\nimpersonate-group: x\r\nimpersonate-group: y\u00e9\r\n" +
      'content-length: 10\r\n\r\n{"a":"\u00e9"}',
  );
});

Deno.test("requestBytes says that a POST has no body, and says nothing for a GET", () => {
  const place = { host: "h", path: "/" };
  const bytes = (method: string) => decode(requestBytes({ method, url: "", headers: {} }, place));
  assertEquals(bytes("POST"), "POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 0\r\n\r\n");
  assertEquals(bytes("GET"), "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
});

Deno.test("requestBytes refuses what could be read as another request or header", () => {
  const bytes = (method: string, path: string, headers: Record<string, string>) =>
    requestBytes({ method, url: "", headers }, { host: "h", path });
  assertThrows(() => bytes("GET", "/a b", {}), TypeError);
  assertThrows(() => bytes("GET", "/a\r\nX: y", {}), TypeError);
  assertThrows(() => bytes("GET", "/\u00e9", {}), TypeError);
  assertThrows(() => bytes("GET /x", "/", {}), TypeError);
  assertThrows(() => bytes("GET", "/", { a: "b\r\nc: d" }), TypeError);
  assertThrows(() => bytes("GET", "/", { a: "b\0" }), TypeError);
  assertThrows(() => bytes("GET", "/", { "a b": "c" }), TypeError);
});
