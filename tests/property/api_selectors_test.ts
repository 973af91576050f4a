import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { type FieldRequirement, fieldSelectorOf, parseFieldSelector, parseLabelSelector } from "../../src/api/mod.ts";
import { labelRequirement, requirementMatches, requirementText } from "../../src/api/label_requirement.ts";

const name = fc.constantFrom("a", "b", "in", "notin", "x.io/y", "A_b-c", "1");
const labelValue = fc.constantFrom("", "a", "b", "in", "10", "9", "x_y.z-1");
const requirement = fc.oneof(
  fc.tuple(
    name,
    fc.constantFrom("in" as const, "notin" as const),
    fc.array(labelValue, { minLength: 1, maxLength: 4 }),
  ),
  fc.tuple(name, fc.constantFrom("=" as const, "==" as const, "!=" as const), labelValue.map((value) => [value])),
  fc.tuple(name, fc.constantFrom("exists" as const, "!" as const), fc.constant([])),
  fc.tuple(name, fc.constantFrom("gt" as const, "lt" as const), fc.nat().map((value) => [String(value)])),
).map(([key, operator, values]) => labelRequirement(key, operator, [...values]));
const labels = fc.dictionary(name, labelValue, { maxKeys: 4 });

Deno.test("parseLabelSelector: a printed selector parses to one that prints and matches the same", () => {
  fc.assert(fc.property(fc.array(requirement, { maxLength: 5 }), labels, (requirements, set) => {
    const selector = parseLabelSelector(requirements.map(requirementText).join(","));
    assertEquals(parseLabelSelector(selector.toString()).toString(), selector.toString());
    assertEquals(selector.matches(set), requirements.every((one) => requirementMatches(one, set)));
  }));
});

Deno.test("parseLabelSelector: white space between tokens changes nothing", () => {
  fc.assert(fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
    const tight = requirements.map(requirementText).join(",");
    const loose = ` ${tight.replace(/[=!(),<>]+/g, " $& ")}\t`.replaceAll("! =", "!=");
    assertEquals(parseLabelSelector(loose).toString(), parseLabelSelector(tight).toString());
  }));
});

Deno.test("parseFieldSelector: a printed selector parses to the same requirements, whatever the values", () => {
  const field: fc.Arbitrary<FieldRequirement> = fc.record({
    field: fc.constantFrom("metadata.name", "spec.nodeName", "status.phase"),
    operator: fc.constantFrom("=" as const, "!=" as const),
    value: fc.string({ unit: fc.constantFrom("a", ",", "=", "\\", "!", "é", "\u{1f600}", " ") }),
  });
  fc.assert(fc.property(fc.array(field, { maxLength: 4 }), (requirements) => {
    const parsed = parseFieldSelector(fieldSelectorOf(requirements).toString());
    const byText = (a: FieldRequirement, b: FieldRequirement) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
    assertEquals([...parsed.requirements].sort(byText), [...requirements].sort(byText));
  }));
});
