/** What `memtui lost --note --json` answers, and how the row above the prompt stands. */
export type Row = { n: number; kind: string; state: string; line: number | null; text: string; handed_over: boolean }
export type Loss = {
  note: string
  line: string
  rows: Row[]
  digest: string
  number: number
  turns: number
  hidden: boolean
}

declare module 'claude-code' {
  interface PluginState {
    memtui: { loss: Shaped<Loss | null> }
  }
}
