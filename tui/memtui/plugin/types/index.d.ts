/** What `memtui mod` answers, and how the row above the prompt stands. */
export type Way = 'small' | 'own' | 'no' | ''
export type Start = { outbox: string; way: Way; prompt?: string; keys?: string[] }
export type Ask = { way: Way; prompt: string; keys: string[] }
export type Row = { n: number; kind: string; state: string; line: number | null; text: string; handed_over: boolean }
export type Note = { note: string; line: string; rows: Row[]; way: Way }
export type Loss = Note & { number: number; turns: number; hidden: boolean }

declare module 'claude-code' {
  interface PluginState {
    memtui: { loss: Shaped<Loss | null> }
  }
}
