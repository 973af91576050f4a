/** Values that may be missing. Upstream: `cel-go/cel/library.go` (OptionalTypes, version 2). */
export const OPTIONAL_FUNCTIONS = `
global _?._: dyn, string -> optional_type(V)
global _[?_]: list(V), int -> optional_type(V) | optional_type(list(V)), int -> optional_type(V) | map(K, V), K -> optional_type(V) | optional_type(map(K, V)), K -> optional_type(V)
global _[_]: list(A), int -> A | map(A, B), A -> B | optional_type(list(V)), int -> optional_type(V) | optional_type(map(K, V)), K -> optional_type(V)
member first: list(V) -> optional_type(V)
member hasValue: optional_type(V) -> bool
member last: list(V) -> optional_type(V)
global optional.none: -> optional_type(V)
global optional.of: V -> optional_type(V)
global optional.ofNonZeroValue: V -> optional_type(V)
global optional.unwrap: list(optional_type(V)) -> list(V)
member or: optional_type(V), optional_type(V) -> optional_type(V)
member orValue: optional_type(V), V -> V
member unwrapOpt: list(optional_type(V)) -> list(V)
member value: optional_type(V) -> V
`;
