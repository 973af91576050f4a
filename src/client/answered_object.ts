import type { KubeObject, PathTarget } from "../api/mod.ts";
import type { Call } from "./call.ts";

/**
 * Refuses an answer that is not the requested object: if a proxy mixes up answers, no decision may be based on the
 * wrong object. Fields that an answer leaves out are not checked.
 *
 * @throws {TypeError} If it is not an object, or its kind, name or namespace differ.
 */
export function requireObject(call: Call, target: PathTarget, answer: unknown): void {
  const fault = faultOf(call, target, answer);
  if (fault) throw new TypeError(`Cannot use the answer to ${call.method} ${call.path}: ${fault}`);
}

function faultOf(
  { resource }: Call,
  { namespace, name, subresource }: PathTarget,
  answer: unknown,
): string | undefined {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return "it is not an object";
  const { kind, metadata } = answer as KubeObject;
  const isOther = (wanted: string | undefined, got: unknown) => wanted && got && got !== wanted;
  const isKindKnown = !subresource || subresource === "status"; // others have kinds of their own
  if (isKindKnown && kind !== "PartialObjectMetadata" && isOther(resource?.kind, kind)) {
    return `it is of kind ${JSON.stringify(kind)}`;
  }
  if (isOther(name, metadata?.name)) return `it is called ${JSON.stringify(metadata?.name)}`;
  if (isOther(namespace, metadata?.namespace)) return `it is in namespace ${JSON.stringify(metadata?.namespace)}`;
}
