/**
 * Strings, lists, sets and regular expressions. Upstream: `cel-go/ext` (strings 2, lists 3, sets, comprehensions) and
 * `apiserver/pkg/cel/library` (lists, regex).
 */
export const EXTENSIONS_FUNCTIONS = `
member @sortByAssociatedKeys: list(T), list(int) -> list(T) | list(T), list(uint) -> list(T) | list(T), list(double) -> list(T) | list(T), list(bool) -> list(T) | list(T), list(duration) -> list(T) | list(T), list(timestamp) -> list(T) | list(T), list(string) -> list(T) | list(T), list(bytes) -> list(T)
global cel.@mapInsert: map(K, V), K, V -> map(K, V) | map(K, V), map(K, V) -> map(K, V)
member charAt: string, int -> string
member distinct: list(T) -> list(T)
member find: string, string -> string
member findAll: string, string -> list(string) | string, string, int -> list(string)
member flatten: list(list(T)) -> list(T) | list(dyn), int -> list(dyn)
member format: string, list(dyn) -> string
member indexOf: list(A), A -> int | string, string -> int | string, string, int -> int
member isSorted: list(int) -> bool | list(uint) -> bool | list(double) -> bool | list(bool) -> bool | list(duration) -> bool | list(timestamp) -> bool | list(string) -> bool | list(bytes) -> bool
member join: list(string) -> string | list(string), string -> string
member lastIndexOf: list(A), A -> int | string, string -> int | string, string, int -> int
global lists.range: int -> list(int)
member lowerAscii: string -> string
member max: list(int) -> int | list(uint) -> uint | list(double) -> double | list(bool) -> bool | list(duration) -> duration | list(timestamp) -> timestamp | list(string) -> string | list(bytes) -> bytes
member min: list(int) -> int | list(uint) -> uint | list(double) -> double | list(bool) -> bool | list(duration) -> duration | list(timestamp) -> timestamp | list(string) -> string | list(bytes) -> bytes
member replace: string, string, string -> string | string, string, string, int -> string
member reverse: list(T) -> list(T)
global sets.contains: list(T), list(T) -> bool
global sets.equivalent: list(T), list(T) -> bool
global sets.intersects: list(T), list(T) -> bool
member slice: list(T), int, int -> list(T)
member sort: list(int) -> list(int) | list(uint) -> list(uint) | list(double) -> list(double) | list(bool) -> list(bool) | list(duration) -> list(duration) | list(timestamp) -> list(timestamp) | list(string) -> list(string) | list(bytes) -> list(bytes)
member split: string, string -> list(string) | string, string, int -> list(string)
global strings.quote: string -> string
member substring: string, int -> string | string, int, int -> string
member sum: list(int) -> int | list(uint) -> uint | list(double) -> double | list(duration) -> duration
member trim: string -> string
member upperAscii: string -> string
`;
