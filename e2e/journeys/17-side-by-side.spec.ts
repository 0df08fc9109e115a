// Two applications beside each other: what is deployed in one touches nothing of the other.
import { expect, test } from '../fixtures.ts'

test('SCADr and TPC-W stand side by side, each untouched by what is deployed in the other', async ({
  workbench,
  page,
}) => {
  const { application, deploy, editor } = workbench
  const live = async (id: string) =>
    (await (await page.request.get(`/api/applications/${id}/environments/development/deployments/live`)).json()) as {
      version: number
      queries: unknown[]
    }
  const [scadr, tpcw] = [await live('scadr'), await live('tpcw')]
  await workbench.open('/applications/scadr/development?panel=deploy&file=queries/thoughtstream.piql')
  await editor.typeOver('queries/thoughtstream.piql', 'MAX 50', 'MAX 48')
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText(`${scadr.version + 1} live`)
  expect(await live('tpcw')).toEqual(tpcw)

  await workbench.finishSaving()
  await page.getByRole('combobox', { name: 'Application', exact: true }).selectOption({ label: 'TPC-W' })
  await expect(page).toHaveURL(/\/applications\/tpcw\/development/)
  await expect(application.queries).toHaveCount(21)
  await deploy.open()
  await expect(deploy.state).toContainText('This text is already live.')
  const found = await page.request.post(
    '/api/applications/tpcw/environments/development/deployments/live/queries/findUser/executions',
    { data: { parameters: { username: 'ada_birch' } } },
  )
  expect(found.status(), 'a query of SCADr is none of TPC-W').toBe(404)
})
