import { joinKey } from "../api/mod.ts";
import { FrameError, type WatchFrame } from "./frame.ts";
import { NAMED, Text } from "./frame_shape.ts";
import { JsonWalker } from "./json_walker.ts";

/** A namespace and name have at most 317 characters. */
const LONGEST_KEY = 1024;

/**
 * The key of the object in `frame`, `namespace/name`, found without parsing it; `undefined` if there is none, or none
 * that an API server would accept.
 */
export function peekKey({ bytes, objectStart, objectEnd }: WatchFrame): string | undefined {
  const walker = new JsonWalker(NAMED);
  try {
    walker.walk(bytes.subarray(objectStart, objectEnd), 0, objectEnd - objectStart);
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
  const { [Text.name]: name, [Text.namespace]: namespace } = walker.texts;
  const key = joinKey(namespace, name);
  return name === "" || key.length > LONGEST_KEY ? undefined : key;
}
