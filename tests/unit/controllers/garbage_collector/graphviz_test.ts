import { assertEquals, assertStringIncludes } from "@std/assert";
import { DEPLOYMENTS, PODS, REPLICASETS } from "../../../../src/api/mod.ts";
import { type Graph, graphvizText as graphvizSteps } from "../../../../src/controllers/garbage_collector/mod.ts";
import { FOREGROUND, GcHarness, object, ref } from "./harness.ts";
import { stepsOf } from "../../base/steps.ts";

function graphvizText(graph: Graph, options?: { uids: string[] }): string {
  return stepsOf(graphvizSteps(graph, options)).result;
}

function graph(): GcHarness {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.observe(PODS, object(PODS, "q", { ownerReferences: [ref(DEPLOYMENTS, "d")] }));
  gc.observe(PODS, object(PODS, "alone"));
  return gc;
}

Deno.test("graphvizText shows owners and dependents with an edge from each to its owners", () => {
  const text = graphvizText(graph().graph);
  assertEquals(text.startsWith("strict digraph full {\n"), true);
  assertEquals(text.endsWith('  "p" -> "rs";\n  "q" -> "d";\n}\n'), true);
  assertEquals(text.includes('"alone"'), false);
  assertStringIncludes(
    text,
    [
      '  "rs" [',
      String.raw`    label="uid=rs\nnamespace=a\nReplicaSet.v1.apps/rs\nbeingDeleted,deletingDependents\n"`,
      '    group="apps"',
      '    version="v1"',
      '    kind="ReplicaSet"',
      '    namespace="a"',
      '    name="rs"',
      '    uid="rs"',
      '    missing="false"',
      '    beingDeleted="true"',
      '    deletingDependents="true"',
      '    virtual="false"',
      "  ];",
    ].join("\n"),
  );
});

Deno.test("graphvizText shows only what is connected with the objects asked for", () => {
  const text = graphvizText(graph().graph, { uids: ["p", "unknown"] });
  assertEquals([text.includes('"rs" ['), text.includes('"q" [')], [true, false]);
});

Deno.test("graphvizText marks an owner that left the graph as missing", () => {
  const gc = graph();
  gc.observeDeletion(REPLICASETS, object(REPLICASETS, "rs"));
  assertStringIncludes(
    graphvizText(gc.graph),
    String.raw`label="uid=rs\nnamespace=\nReplicaSet.v1.apps/rs\nmissingFromGraph\n"`,
  );
});
