/** How an answer looks. */
import { assert, assertEquals } from "@std/assert";
import { setColorEnabled, stripAnsiCode } from "@std/fmt/colors";
import { CONFIGMAPS, PODS } from "../../../../src/api/mod.ts";
import { explanationText } from "../../../../src/cli/explain/text.ts";
import { ASKED, explainOf, facts, HOLD } from "./fixtures.ts";

const DELETING = { deletionTimestamp: ASKED };

Deno.test("explanationText is a tree, what could not be read, and what to do next", () => {
  const metadata = { ...DELETING, finalizers: ["foregroundDeletion", "orphan"] };
  const held = facts(CONFIGMAPS, "keep", { metadata: { ...DELETING, finalizers: [HOLD] } });
  const dependents = { blocking: [held], blockingCount: 1, byKind: [], isPartial: false };
  const answer = explainOf(facts(PODS, "web", { metadata, dependents }), {
    unread: [{ what: "secrets in namespace shop", why: "forbidden" }],
  });
  assertEquals(explanationText(answer).split("\n"), [
    "pod/web in namespace shop is still there: its deletion was asked for 10m ago (2026-01-01T00:50:00Z)",
    "├─ finalizer foregroundDeletion: garbage-collector-controller (kube-controller-manager) removes it when no dependent " +
    "with blockOwnerDeletion exists any more",
    "│  └─ configmap/keep: deletion asked for 10m ago (2026-01-01T00:50:00Z)",
    "│     └─ finalizer example.com/hold: no built-in controller removes it, whoever uses it must",
    "└─ finalizer orphan: garbage-collector-controller (kube-controller-manager) removes it when its dependents do not name " +
    "it as their owner any more",
    "   └─ no object names it as its owner any more",
    "",
    "This could not be read, so the answer may lack something:",
    "  secrets in namespace shop: forbidden",
    "",
    "What to do next:",
    "  1. get the program that uses the finalizer example.com/hold to run and to finish; only if it is gone for good, " +
    "remove the finalizer by hand, which skips whatever it was there to clean up",
    "     kubectl patch configmaps/keep -n shop --type=json -p " +
    `'[{"op":"test","path":"/metadata/finalizers/0","value":"example.com/hold"},` +
    `{"op":"remove","path":"/metadata/finalizers/0"}]'`,
    "  2. look whether the kube-controller-manager runs with garbage-collector-controller, and what its log says",
  ]);
});

Deno.test("explanationText says of an object in use that it is not being deleted", () => {
  assertEquals(
    explanationText(explainOf(facts(PODS, "web"))),
    "pod/web in namespace shop is not being deleted, and nothing would hold its deletion",
  );
});

Deno.test("explanationText is the same with colours, but for the colours", () => {
  const answer = explainOf(facts(PODS, "web", { metadata: { ...DELETING, finalizers: [HOLD] } }));
  setColorEnabled(true); // NO_COLOR has the last word
  try {
    const coloured = explanationText(answer, { isColoured: true });
    assertEquals(coloured.includes("\x1b[31mfinalizer"), !Deno.noColor, "what blocks is red");
    assertEquals(stripAnsiCode(coloured), explanationText(answer));
  } finally {
    setColorEnabled(!Deno.noColor);
  }
});

Deno.test("explanationText lets nobody else's text move the cursor or break a line", () => {
  const answer = explainOf(facts(PODS, "web", { metadata: { ...DELETING, finalizers: ["a\x1b[2J\r\nb"] } }), {
    unread: [{ what: "x", why: "first\nsecond\u009b" }],
  });
  const text = explanationText(answer);
  // deno-lint-ignore no-control-regex -- they are what is looked for
  assert(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text), text);
  assert(text.includes("finalizer a [2J b:") && text.includes("x: first second "), text);
});
