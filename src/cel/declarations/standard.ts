/** What every CEL environment has. Upstream: `cel-go/common/stdlib`. */
export const STANDARD_FUNCTIONS = `
global !_: bool -> bool
global -_: double -> double | int -> int
global @in: A, list(A) -> bool | A, map(A, B) -> bool
global @not_strictly_false: bool -> bool
global _!=_: A, A -> bool
global _%_: int, int -> int | uint, uint -> uint
global _&&_: bool, bool -> bool
global _*_: double, double -> double | int, int -> int | uint, uint -> uint
global _+_: bytes, bytes -> bytes | double, double -> double | duration, duration -> duration | duration, timestamp -> timestamp | timestamp, duration -> timestamp | int, int -> int | list(A), list(A) -> list(A) | string, string -> string | uint, uint -> uint
global _-_: double, double -> double | duration, duration -> duration | int, int -> int | timestamp, duration -> timestamp | timestamp, timestamp -> duration | uint, uint -> uint
global _/_: double, double -> double | int, int -> int | uint, uint -> uint
global _<=_: bool, bool -> bool | int, int -> bool | int, double -> bool | int, uint -> bool | uint, uint -> bool | uint, double -> bool | uint, int -> bool | double, double -> bool | double, int -> bool | double, uint -> bool | string, string -> bool | bytes, bytes -> bool | timestamp, timestamp -> bool | duration, duration -> bool
global _<_: bool, bool -> bool | int, int -> bool | int, double -> bool | int, uint -> bool | uint, uint -> bool | uint, double -> bool | uint, int -> bool | double, double -> bool | double, int -> bool | double, uint -> bool | string, string -> bool | bytes, bytes -> bool | timestamp, timestamp -> bool | duration, duration -> bool
global _==_: A, A -> bool
global _>=_: bool, bool -> bool | int, int -> bool | int, double -> bool | int, uint -> bool | uint, uint -> bool | uint, double -> bool | uint, int -> bool | double, double -> bool | double, int -> bool | double, uint -> bool | string, string -> bool | bytes, bytes -> bool | timestamp, timestamp -> bool | duration, duration -> bool
global _>_: bool, bool -> bool | int, int -> bool | int, double -> bool | int, uint -> bool | uint, uint -> bool | uint, double -> bool | uint, int -> bool | double, double -> bool | double, int -> bool | double, uint -> bool | string, string -> bool | bytes, bytes -> bool | timestamp, timestamp -> bool | duration, duration -> bool
global _?_:_: bool, A, A -> A
global __not_strictly_false__: bool -> bool
global _in_: A, list(A) -> bool | A, map(A, B) -> bool
global _||_: bool, bool -> bool
global bool: bool -> bool | string -> bool
global bytes: bytes -> bytes | string -> bytes
member contains: string, string -> bool
global double: double -> double | int -> double | string -> double | uint -> double
global duration: duration -> duration | int -> duration | string -> duration
global dyn: A -> dyn
member endsWith: string, string -> bool
member getDate: timestamp -> int | timestamp, string -> int
member getDayOfMonth: timestamp -> int | timestamp, string -> int
member getDayOfWeek: timestamp -> int | timestamp, string -> int
member getDayOfYear: timestamp -> int | timestamp, string -> int
member getFullYear: timestamp -> int | timestamp, string -> int
member getHours: timestamp -> int | timestamp, string -> int | duration -> int
member getMilliseconds: timestamp -> int | timestamp, string -> int | duration -> int
member getMinutes: timestamp -> int | timestamp, string -> int | duration -> int
member getMonth: timestamp -> int | timestamp, string -> int
member getSeconds: timestamp -> int | timestamp, string -> int | duration -> int
global in: A, list(A) -> bool | A, map(A, B) -> bool
global int: int -> int | double -> int | duration -> int | string -> int | timestamp -> int | uint -> int
global matches: string, string -> bool
member matches: string, string -> bool
global size: bytes -> int | list(A) -> int | map(A, B) -> int | string -> int
member size: bytes -> int | list(A) -> int | map(A, B) -> int | string -> int
member startsWith: string, string -> bool
global timestamp: timestamp -> timestamp | int -> timestamp | string -> timestamp
global type: A -> type(A)
global uint: uint -> uint | double -> uint | int -> uint | string -> uint
`;
