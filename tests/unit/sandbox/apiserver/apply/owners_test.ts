import { assertEquals } from "@std/assert";
import { entriesOf, type Owner } from "../../../../../src/sandbox/apiserver/apply/owners.ts";

const owner = (manager: string, second: number, operation: Owner["operation"] = "Update"): Owner => ({
  manager,
  operation,
  apiVersion: "v1",
  subresource: "",
  time: `2026-01-01T00:00:0${second}Z`,
  fields: {},
});

Deno.test("Entries of managedFields are in upstream's order: appliers first, then by time and name", () => {
  const owners = [owner("a", 2), owner("c", 1), owner("b", 1), owner("d", 3, "Apply")];
  assertEquals(entriesOf(owners)?.map(({ manager }) => manager), ["d", "b", "c", "a"]);
});
