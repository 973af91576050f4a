import type { Clock } from "../../base/mod.ts";

/** About two milliseconds of work. */
const PIECE_BYTES = 64 * 1024;

/** More than all known codings; a header has room for half a million. */
const MAX_CODINGS = 100;

/** A coding that a client accepts, and its weight, from 0. */
interface Liking {
  readonly coding: string;
  readonly quality: number;
}

/**
 * Whether a client prefers gzip over no compression, judging by its Accept-Encoding headers.
 *
 * Upstream: `prometheus/client_golang/prometheus/promhttp`, which offers both, does not treat `GZIP` as gzip, and does
 * not refuse because of unknown codings.
 */
export function prefersGzip(values: readonly string[]): boolean {
  const likings = values.flatMap((value) => [...likingsIn(value)]);
  const best = (wanted: string) =>
    likings.filter(({ coding }) => coding === wanted || coding === "*")
      .reduce((most, { quality }) => Math.max(most, quality), 0);
  return best("gzip") > best("identity");
}

/** The codings in one header, up to the first malformed one. */
function* likingsIn(value: string): Generator<Liking> {
  for (const part of value.split(",", MAX_CODINGS).map((text) => text.trimStart())) {
    const [all, coding = "", quality] = LIKING.exec(part) ?? [""];
    const behind = part.charAt(all.length);
    if (coding === "" || (quality === undefined && behind === ";")) return;
    yield { coding, quality: Number(quality ?? 1) };
    if (behind !== "") return;
  }
}

const LIKING = /^([\w!#$%&'*+\-.^`|~/]*)[ \t]*(?![ \t])(?:;[ \t]*(?![ \t])q=([01](?:\.\d*)?)[ \t]*(?![ \t]))?/;

/**
 * Compresses `text` with gzip. Metrics of a large cluster take megabytes, so the event loop gets a turn between pieces.
 */
export function gzipped(text: string, clock: Clock): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(piecesOf(text, clock)).pipeThrough(new CompressionStream("gzip"));
}

async function* piecesOf(text: string, clock: Clock): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) await clock.nextTurn();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
