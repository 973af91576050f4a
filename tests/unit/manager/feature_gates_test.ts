import { assertEquals } from "@std/assert";
import { decideFeatureGates } from "../../../src/manager/mod.ts";

interface Given {
  readonly gates?: readonly string[];
  readonly version?: string;
  readonly compatible?: string;
}

function decide({ gates = [], version, compatible }: Given = {}) {
  return decideFeatureGates({
    gates,
    emulatedVersion: version === undefined ? [] : [version],
    minCompatibilityVersion: compatible === undefined ? [] : [compatible],
  });
}

function gate(name: string, given: Given = {}) {
  const { gates, objections } = decide(given);
  assertEquals(objections, []);
  return gates.all.find((each) => each.name === name);
}

Deno.test("decideFeatureGates has upstream's defaults, 242 of them", () => {
  const { gates } = decide();
  assertEquals(gates.all.length, 242);
  assertEquals([gates.emulatedVersion, gates.minCompatibilityVersion], ["1.36", "1.35"]);
  assertEquals(gate("AtomicFIFO"), { name: "AtomicFIFO", stage: "BETA", enabled: true });
  assertEquals(gate("APIServerTracing"), { name: "APIServerTracing", stage: "GA", enabled: true });
});

Deno.test("decideFeatureGates: a gate has the default that it had at the emulated version, unless it is set", () => {
  assertEquals(gate("APIServerTracing", { version: "1.33" })?.stage, "BETA");
  assertEquals(gate("AggregatedDiscoveryRemoveBetaType", { version: "kube=1.34" })?.enabled, true);
  assertEquals(gate("AllAlpha", { version: "v1.33" })?.stage, "ALPHA");
});

Deno.test("decideFeatureGates sets whole stages, but not what is set by name", () => {
  const given = { gates: ["AllAlpha=true", "GenericWorkload=true", "APIServingWithRoutine=false"] };
  const { gates } = decide(given);
  const alphas = gates.all.filter(({ stage, enabled }) => stage === "ALPHA" && !enabled).map(({ name }) => name);
  assertEquals(alphas, ["APIServingWithRoutine"]);
  assertEquals(gate("APIResponseCompression", { gates: ["AllBeta=false", "AllAlpha=false"] })?.enabled, false);
});

Deno.test("decideFeatureGates: setting a gate of a feature that is generally available or deprecated is warned about", () => {
  const { warnings } =
    decide({ gates: ["APIServerTracing=true", "AllowDNSOnlyNodeCSR=true", "AtomicFIFO=true"] }).gates;
  assertEquals(warnings.map(({ stage, gate }) => `${stage} ${gate}`), [
    "GA APIServerTracing",
    "deprecated AllowDNSOnlyNodeCSR",
  ]);
});

Deno.test("decideFeatureGates: a gate is refused if it is unknown, locked, absent at the emulated version, or lacks a gate that it needs, in upstream's words", () => {
  const mixed = "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use";
  const known = "--feature-gates takes the gates that kubernetes_feature_enabled of /metrics lists";
  const gates = "--feature-gates takes Name=true or Name=false, or both with kube: in front";
  const emulated = "--emulated-version takes 1.33 to 1.36";
  const [seeEmulated, seeCompatible] = ["see --emulated-version", "see --min-compatibility-version"];
  const syntax = 'strconv.ParseBool: parsing "maybe": invalid syntax';
  const cases: [given: Given, objections: string[]][] = [
    [{ gates: ["X=true", "Y=true"] }, [`unrecognized feature gate: X: ${known}`]],
    [{ gates: ["toString=true"] }, [`unrecognized feature gate: toString: ${known}`]],
    [{ gates: ["AtomicFIFO"] }, [`missing bool value for AtomicFIFO: ${gates}`]],
    [{ gates: ["AtomicFIFO=maybe"] }, [`invalid value of AtomicFIFO=maybe, err: ${syntax}: ${gates}`]],
    [{ gates: ["AtomicFIFO=true", "kube:AllAlpha=false"] }, [mixed]],
    [{ gates: ["foo:A=true"] }, [`component not registered: foo: ${gates}`]],
    [{ gates: ["DynamicResourceAllocation=false"] }, [
      "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true",
    ]],
    [{ gates: ["GangScheduling=true"] }, [
      "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]",
    ]],
    [{ version: "1.37" }, [`emulation version 1.37 is not between [1.33, 1.36.0]: ${seeEmulated}`]],
    [{ version: "1.30" }, [
      `emulation version 1.30 is not between [1.33, 1.36.0]: ${seeEmulated}`,
      `minCompatibilityVersion version 1.33 is not between [1.33, 1.30]: ${seeCompatible}`,
    ]],
    [{ version: "1.36.1" }, [`patch version not allowed, got: kube=1.36.1: ${emulated}`]],
    [{ version: "x" }, [`could not parse "x" as version: ${emulated}`]],
    [{ version: "foo=1.35" }, [`component not registered: foo: ${emulated}`]],
    [{ gates: ["AtomicFIFO=true"], version: "1.33" }, [
      "cannot set feature gate AtomicFIFO to true, feature is PreAlpha at emulated version 1.33, min compatibility version 1.33",
    ]],
    [{ compatible: "1.20" }, [`minCompatibilityVersion version 1.20 is not between [1.33, 1.36]: ${seeCompatible}`]],
  ];
  for (const [given, objections] of cases) assertEquals(decide(given).objections, objections, JSON.stringify(given));
});
