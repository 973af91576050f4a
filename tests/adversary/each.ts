/** Makes many of something, one after the other. */
export async function each(count: number, make: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await make(i);
}
