import { assertEquals, assertStringIncludes } from "@std/assert";
import type { KubeObject } from "../../../../src/api/mod.ts";
import { scriptOf } from "../../../../src/sandbox/csi/outcomes.ts";

const saying = (text: string): KubeObject => ({ metadata: { annotations: { "kubeloop.dev/attach": text } } });

Deno.test("scriptOf reads a list of durations and results, each with a reason if wanted", () => {
  const error = (code: string, reason = "simulated failure") => `rpc error: code = ${code} desc = ${reason}`;
  const { outcomes, problem } = scriptOf("attach", [
    saying("fail,5s, 2s fail:no space left ,infeasible,elsewhere,never,ok,"),
  ]);
  assertEquals(problem, undefined);
  assertEquals(outcomes, [
    { afterMs: 0, result: "fail", message: error("Internal") },
    { afterMs: 5000, result: "ok", message: "" },
    { afterMs: 2000, result: "fail", message: error("Internal", "no space left") },
    { afterMs: 0, result: "infeasible", message: error("InvalidArgument") },
    { afterMs: 0, result: "elsewhere", message: error("ResourceExhausted") },
    { afterMs: Infinity, result: "ok", message: "" },
    { afterMs: 0, result: "ok", message: "" },
    { afterMs: 0, result: "ok", message: "" },
  ]);
});

Deno.test("scriptOf takes the first object that says something about the operation", () => {
  const resultOf = (...objects: readonly (KubeObject | undefined)[]) => scriptOf("attach", objects).outcomes[0].result;
  assertEquals(resultOf(undefined, {}, saying("fail"), saying("infeasible")), "fail");
  assertEquals(resultOf(undefined), "ok");
  assertEquals(scriptOf("detach", [saying("fail")]).outcomes[0].result, "ok");
});

Deno.test("scriptOf says what it cannot understand, and lets the operation succeed", () => {
  for (
    const [text, why] of [["soon", "is not a result"], ["-1s", "is less than zero"], ["5q", "unknown unit"], [
      "toString",
      "is not a result",
    ]]
  ) {
    const { outcomes, problem = "" } = scriptOf("attach", [saying(text)]);
    assertEquals(outcomes[0].result, "ok");
    assertStringIncludes(problem, "annotation kubeloop.dev/attach is ignored: ");
    assertStringIncludes(problem, why);
  }
});
