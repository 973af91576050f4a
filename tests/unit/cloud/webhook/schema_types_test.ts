/** What schemas and types must have in common; `deno check` judges it. */
import { assertEquals } from "@std/assert";
import type { Instances } from "../../../../src/cloud/mod.ts";
import type { Holds, SameMethods, SameShape, TypeOf } from "../../../../src/cloud/webhook/schema_types.ts";

const ROUTE = {
  type: "object",
  properties: {
    range: { type: "string" },
    modes: { type: "array", items: { type: "string", enum: ["VIP"] }, maxItems: 2 },
    labels: { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
  },
  required: ["range"],
} as const;
type Read = TypeOf<typeof ROUTE>;

interface Written {
  readonly range: string;
  readonly modes?: string[];
  readonly labels?: Readonly<Record<string, string>>;
}

const NODE = ["node", { type: "object", description: "A Node." }] as const;
const BOOLEAN = { type: "boolean" } as const;
const METADATA = {
  type: "object",
  properties: {
    providerID: { type: "string" },
    instanceType: { type: "string" },
    zone: { type: "string" },
    region: { type: "string" },
    nodeAddresses: {
      type: "array",
      items: {
        type: "object",
        properties: { type: { type: "string" }, address: { type: "string" } },
        required: ["type", "address"],
      },
      maxItems: 2,
    },
    additionalLabels: { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
  },
} as const;
const row = <const Result>(result: Result) => ({ summary: "", isReading: true, args: [NODE], result } as const);
const ROWS = {
  instanceExists: row(BOOLEAN),
  instanceShutdown: row(BOOLEAN),
  instanceMetadata: row({ anyOf: [METADATA, { type: "null" }] }),
} as const;
type Rows = typeof ROWS;
type Changed<Name extends keyof Rows, Row> = Omit<Rows, Name> & Readonly<Record<Name, Row>>;

type OtherResult = Changed<"instanceExists", Omit<Rows["instanceExists"], "result"> & { result: { type: "null" } }>;
type OneMore = Changed<
  "instanceExists",
  { summary: ""; isReading: true; args: [typeof NODE, typeof NODE]; result: typeof BOOLEAN }
>;
type OneLess = Changed<"instanceExists", { summary: ""; isReading: true; args: []; result: typeof BOOLEAN }>;

type _Right = [Holds<SameShape<Read, Written>>, Holds<SameMethods<Rows, Instances>>];

type _Wrong = [
  // @ts-expect-error A member that the schema does not know.
  Holds<SameShape<Read, Written & { readonly more?: string }>>,
  // @ts-expect-error A member that the type does not know.
  Holds<SameShape<Read, Omit<Written, "labels">>>,
  // @ts-expect-error A member that the schema does not ask for.
  Holds<SameShape<Read, Written & { readonly modes: string[] }>>,
  // @ts-expect-error A member that the schema asks for.
  Holds<SameShape<Read, Partial<Written>>>,
  // @ts-expect-error A value that the type does not have.
  Holds<SameShape<Read, Omit<Written, "modes"> & { readonly modes?: "Proxy"[] }>>,
  // @ts-expect-error An object that is never null.
  Holds<SameShape<Read | null, Written>>,
  // @ts-expect-error An object that may be null.
  Holds<SameShape<Read, Written | null>>,
  // @ts-expect-error A method without a row.
  Holds<SameMethods<Omit<Rows, "instanceShutdown">, Instances>>,
  // @ts-expect-error A result of another type.
  Holds<SameMethods<OtherResult, Instances>>,
  // @ts-expect-error An argument too many.
  Holds<SameMethods<OneMore, Instances>>,
  // @ts-expect-error An argument too few.
  Holds<SameMethods<OneLess, Instances>>,
];

Deno.test("a schema has the type of what it lets through", () => {
  const route: Read = { range: "10.0.0.0/24", modes: ["VIP"], labels: { team: "a" } };
  const written: Written = { ...route, modes: [...route.modes ?? []] };
  assertEquals(written, route as Written);
});
