import type { Schema } from "../schema.ts";

/** kubeloop writes the arguments, so they are documented but not checked. */
export type ArgumentSchema = Schema | { readonly type: "object"; readonly description: string } | {
  readonly type: "array";
  readonly items: { readonly type: "object"; readonly description: string };
};

/** The type of what a schema lets through. */
export type TypeOf<S> = S extends { readonly anyOf: readonly [infer One, unknown] } ? TypeOf<One> | null
  : S extends { readonly type: "null" } ? null
  : S extends { readonly type: "boolean" } ? boolean
  : S extends { readonly type: "integer" } ? number
  : S extends { readonly type: "string"; readonly enum: readonly (infer Word)[] } ? Word
  : S extends { readonly type: "string" } ? string
  : S extends { readonly type: "array"; readonly items: infer Item } ? readonly TypeOf<Item>[]
  : S extends { readonly properties: infer Members; readonly required: readonly (infer Name)[] }
    ? MembersOf<Members, Extract<Name, keyof Members>>
  : S extends { readonly properties: infer Members } ? MembersOf<Members, never>
  : S extends { readonly additionalProperties: infer Each } ? Readonly<Record<string, TypeOf<Each>>>
  : Anything;

/** An object of which the schema says no more. */
interface Anything {
  readonly anything: true;
}

type MembersOf<Members, Required extends keyof Members> =
  & { readonly [Name in Required]: TypeOf<Members[Name]> }
  & { readonly [Name in Exclude<keyof Members, Required>]?: TypeOf<Members[Name]> };

type OptionalKeys<T> = { [Key in keyof T]-?: Record<never, never> extends Pick<T, Key> ? Key : never }[keyof T];
type IsSame<A, B> = [A] extends [B] ? [B] extends [A] ? true : false : false;

/**
 * `true` if a schema's type and one that is written in TypeScript are of one shape: the same members, the same of them
 * optional, and no value that the written one does not have. Else what differs.
 */
export type SameShape<Read, Written> = [Read] extends [Anything]
  ? Written extends object ? true : ["no object", Written]
  : IsSame<NonNullable<Read>, never> extends true ? null extends Read ? ReadNothing<Written> : true
  : null extends Read
    ? null extends Written ? SameShape<NonNullable<Read>, NonNullable<Written>> : ["never null", Written]
  : null extends Written ? ["may be null", Written]
  : [Read] extends [readonly (infer Item)[]]
    ? Written extends readonly (infer Other)[] ? SameShape<Item, Other> : ["no list", Written]
  : [Read] extends [object] ? SameMembers<Read, Written>
  : [Read] extends [Written] ? true
  : ["other values", Read, Written];

type ReadNothing<Written> = [Written] extends [void | null | undefined] ? true : ["something", Written];

type SameMembers<Read, Written> = IsSame<keyof Read, keyof Written> extends false
  ? ["other members", Exclude<keyof Read, keyof Written> | Exclude<keyof Written, keyof Read>]
  : IsSame<OptionalKeys<Read>, OptionalKeys<Written>> extends false ? ["other members are optional", OptionalKeys<Read>]
  : string extends keyof Read ? [Read] extends [Written] ? true : ["other values", Read, Written]
  : AllTrue<
    {
      [Key in keyof Read]-?: SameShape<Exclude<Read[Key], undefined>, Exclude<Written[Key & keyof Written], undefined>>;
    }
  >;

type AllTrue<Answers> = Answers[keyof Answers] extends true ? true
  : { [Key in keyof Answers as Answers[Key] extends true ? never : Key]: Answers[Key] };

/** A method of a capability, without its signal. */
type Called<Method> = Method extends (...args: [...infer Args, AbortSignal]) => Promise<infer Result>
  ? { readonly args: Args; readonly result: Result }
  : never;

interface Row {
  readonly args: readonly (readonly [string, ArgumentSchema])[];
  readonly result: Schema;
}

/** `true` if the rows of a capability have the arguments and results of its methods; else what differs, by method. */
export type SameMethods<Rows, Capability> = AllTrue<
  {
    [Name in keyof Capability]-?: Name extends keyof Rows
      ? Rows[Name] extends Row ? SameMethod<Rows[Name], Called<Capability[Name]>> : "no row"
      : "no row";
  }
>;

type SameMethod<Method extends Row, Other extends { readonly args: readonly unknown[]; readonly result: unknown }> =
  AllTrue<{
    readonly args: SameArguments<Method["args"], Other["args"]>;
    readonly result: SameShape<TypeOf<Method["result"]>, Other["result"]>;
  }>;

type SameArguments<Rows, Written extends readonly unknown[]> = Rows extends readonly [
  readonly [string, infer First],
  ...infer Rest,
]
  ? Written extends readonly [infer Other, ...infer Others]
    ? SameShape<TypeOf<First>, Other> extends true ? SameArguments<Rest, Others>
    : [First, Other]
  : "fewer arguments"
  : Written extends readonly [] ? true
  : "more arguments";

/** Compiles where `Answer` is `true`. */
export type Holds<Answer extends true> = Answer;
