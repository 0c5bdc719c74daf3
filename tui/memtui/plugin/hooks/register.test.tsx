// `claude plugin test` runs these against the engine; each hook here stands for the engine or for memtui.
import { expect, test } from 'claude-code/testing'

const ROWS = [{ n: 1, text: 'never push to main', source: ' (L4)', handed_over: true }]
const ANSWERS: Record<string, object> = {
  before: { outbox: '/nowhere', way: '', keys: [] },
  note: { note: 'never push to main', line: 'memtui: the summary left out 1 line', rows: ROWS },
}
const SUMMARY = { role: 'user', text: 'The summary.', toolUses: [], toolResults: [] } as const

const ran = (stdout: string, exitCode = 0) => ({
  value: { exitCode, stdout, stderr: '', isStdoutTruncated: false, isStderrTruncated: false },
})

const compacted = async ($: any, on: any, answer: (event: string) => object) => {
  const rows: [string, string][] = []
  on('session.compact', () => ({ messages: [SUMMARY] }))
  on('session.id', () => ({ value: 'a-session' }))
  on('session.cwd', () => ({ value: '/' }))
  on('session.info', () => ({ value: { transcriptPath: '/a.jsonl' } }))
  on('process.run', (_: any, e: any) => answer(e.argv[2]))
  on('session.append', (_: any, e: any, next: any) => {
    rows.push([e.message.type, e.message.content[0].text])
    return next(e)
  })
  const result = await $.session.compact({ trigger: 'manual', messages: [SUMMARY] })
  expect(result.messages).toEqual([SUMMARY])
  return rows
}

test('the note goes to the model and a line to the person', async ($, on) => {
  const rows = await compacted($, on, event => ran(`{"event": "${event}", ${JSON.stringify(ANSWERS[event] ?? {}).slice(1)}`))
  expect(rows).toEqual([
    ['user', 'never push to main'],
    ['system', 'memtui: the summary left out 1 line'],
  ])
})

for (const [name, answer] of [['rubbish', ran('rubbish')], ['nothing', ran('')], ['a failure', ran('', 3)]] as const)
  test(`${name} of memtui harms no compaction and is said`, async ($, on) => {
    const rows = await compacted($, on, () => answer)
    expect(rows.length).toBe(1)
    expect(rows[0]?.[1]).toMatch(/the summary was not compared/)
  })
