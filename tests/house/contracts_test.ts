/** Each numbered sentence of a contract has a test whose name quotes it; `contracts.ts` says how. */
import { assertEquals } from "@std/assert";
import { openingOf, readContracts, sentencesIn, testNamesIn, unquoted } from "./contracts.ts";

Deno.test("each sentence of a contract is quoted by the name of a test", async () => {
  const { owed } = await readContracts();
  assertEquals(
    owed.map(({ file, symbol, number, text }) => `${file}: "${symbol}: ${openingOf(text)}" (sentence ${number})`),
    [],
    "these sentences need a test with the words in quotes in its name",
  );
});

Deno.test("whatever has a contract has a name of its own, so that a quotation tells whose sentence it is", async () => {
  const { sentences } = await readContracts();
  const files = Map.groupBy(sentences, ({ symbol }) => symbol.toLowerCase());
  const twice = [...files].map(([symbol, found]) => [symbol, ...new Set(found.map(({ file }) => file))]);
  assertEquals(twice.filter(({ length }) => length > 2), []);
});

const SOURCE = `
/**
 * A drawer.
 *
 * Contract (each drawer runs \`conformance.ts\`):
 * 1. What was put in comes out; once.
 * 2. It opens, by {@link Handle.pull}, only for whoever holds the key that was given to them
 *    with it.
 *
 * 3. No sentence of the contract.
 */
export class Drawer {}

/** Contract: 1. not on a line of its own. */
export const other = 1;
`;

Deno.test("sentencesIn reads the numbered lines below the word Contract, however they are wrapped", () => {
  assertEquals(sentencesIn("src/a/drawer.ts", SOURCE), [
    { file: "src/a/drawer.ts", symbol: "Drawer", number: 1, text: "What was put in comes out; once." },
    {
      file: "src/a/drawer.ts",
      symbol: "Drawer",
      number: 2,
      text: "It opens, by {@link Handle.pull}, only for whoever holds the key that was given to them with it.",
    },
  ]);
});

Deno.test("testNamesIn reads literals, sums of literals, the still parts of templates, and steps", () => {
  const tests = [
    'Deno.test("one", () => {});',
    'Deno.test.ignore(\n  "a \\"long\\"" +\n    " name",\n  async (t) => {\n    await t.step(`step ${1 + 1} here`, run);',
    'Deno.test({ name: "three", fn() {} });',
    "Deno.test(given, () => {});",
  ].join("\n");
  assertEquals(testNamesIn(tests), ["one", 'a "long" name', 'a "long" name step  0000  here', "three"]);
});

Deno.test("unquoted wants the name of what promises and the opening of its sentence behind it", () => {
  const sentences = sentencesIn("src/a/drawer.ts", SOURCE);
  const openNumbers = (...names: string[]) => unquoted(sentences, names).map(({ number }) => number);
  assertEquals(openNumbers("Drawer: what was put in comes out", "Drawer: it opens, by Handle"), [2]);
  assertEquals(openNumbers("What was put in comes out", "Desk: what was put in comes out"), [1, 2]);
  assertEquals(openNumbers("What was put in comes out of a Drawer"), [1, 2]);
  assertEquals(openNumbers("Drawer: what was put 0000 in comes out"), [1, 2]);
  const second = 'a Drawer, sentence 2: "It opens, by Handle.pull, only for whoever holds", and so on';
  assertEquals(openNumbers(second, "Drawer: what was put in comes outside"), [1, 2]);
  assertEquals(openNumbers(second.replace("holds", "holds the")), [1]);
});
