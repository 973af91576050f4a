import { type KubeObject, objectKey } from "../../../src/api/mod.ts";

/** A recorder that keeps events as lines: `Normal SuccessfulCreate a/r Created pod: r-1`. */
export class FakeRecorder {
  readonly lines: string[] = [];

  event(
    object: KubeObject | { namespace?: string; name?: string },
    type: string,
    reason: string,
    message: string,
  ): void {
    const key = "metadata" in object ? objectKey(object) : "?";
    this.lines.push(`${type} ${reason} ${key} ${message}`);
  }
}
