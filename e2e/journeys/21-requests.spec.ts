// Somebody alone asks for a text to be deployed, sees what it changes, comments on it, and deploys it; then a rule makes
// requests the only way.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look, looks } from '../pictures.ts'

const REQUESTS = '/applications/scadr/development/requests'
const DEPLOY = '/applications/scadr/development?file=schema.piql&panel=deploy'

test('a request is opened in Deploy, looked at, commented on, and deployed', async ({
  workbench,
  page,
  api,
  person,
}) => {
  await api.deploy()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(REQUESTS)
  await expect(page.getByText('No request is open')).toBeVisible()
  await expectNoObjections(page, 'no request')
  await looks(page, 'requests-none', 'Rules of development')

  await workbench.open(DEPLOY)
  await workbench.editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 110')
  await expect(workbench.deploy.state).toContainText('Every query is bounded')
  await workbench.deploy.content.getByRole('button', { name: 'Ask for this to be deployed' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ask for this to be deployed' })
  await expect(dialog.getByRole('button', { name: 'Open the request' })).toBeDisabled()
  await dialog.getByLabel('Title').fill('More subscriptions')
  await dialog.getByLabel('Why').fill('Readers follow more people than before.')
  await expectNoObjections(page, 'a request to be opened', 'dialog')
  await look(page, 'requests-ask')
  await dialog.getByRole('button', { name: 'Open the request' }).click()

  await expect(page.getByRole('heading', { name: /^\d+: More subscriptions$/ })).toBeVisible()
  await expect(page.getByText('This may be deployed: nothing is missing.')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Checks' })).toContainText('Every query has a bound.')
  await expect(page.getByRole('region', { name: 'What changes' })).toContainText('LIMIT 110')
  await page.getByLabel('Comment', { exact: true }).fill('Is 110 enough?')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  const comments = page.getByRole('list', { name: 'Comments' })
  await expect(comments).toContainText('Is 110 enough?')
  await expectNoObjections(page, 'a request')
  await looks(page, 'request', 'Comments')
  await comments.getByRole('button', { name: /^Settle: comment/ }).click()
  await expect(comments).toContainText('settled')

  await page.getByRole('link', { name: 'All requests' }).click()
  await expect(page.getByRole('list', { name: 'Open requests' })).toContainText('More subscriptions')
  await looks(page, 'requests', 'Rules of development')
  await page.getByRole('link', { name: /More subscriptions/ }).click()
  await page.getByRole('button', { name: 'Deploy this request' }).click()
  await expect(
    page.getByText(new RegExp(`^Deployed as version \\d+${person ? ` by ${person}` : ''}\\.$`)),
  ).toBeVisible()
  await expectNoObjections(page, 'a request that was deployed')
  await page.getByRole('link', { name: 'All requests' }).click()
  await expect(page.getByRole('list', { name: 'Requests that are over' })).toContainText('Deployed as version')
})

test('where the rules demand requests, Deploy asks for one', async ({ workbench, page, person }) => {
  await page.goto(REQUESTS)
  await page.getByRole('button', { name: 'Change the rules' }).click()
  await page.getByLabel('Nothing is deployed without a request').check()
  await page.getByLabel('Approvals that a request needs').fill('1')
  const nobody = page.getByText('Nobody signs in here, so each text would be your own')
  await expect(nobody).toHaveCount(person ? 0 : 1)
  await look(page, 'requests-rules')
  await page.getByLabel('Whoever wrote the text does not approve it').uncheck()
  await expectNoObjections(page, 'rules')
  await looks(page, 'requests-rules', 'Rules of development')
  await page.getByRole('button', { name: 'Save the rules' }).click()
  await expect(page.getByText('Nothing is deployed here without a request.')).toBeVisible()

  await workbench.open(DEPLOY)
  await workbench.editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 120')
  await expect(workbench.deploy.state).toContainText('Every query is bounded')
  await expect(workbench.deploy.button).toHaveCount(0)
  await workbench.deploy.content.getByRole('button', { name: 'Ask for this to be deployed' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ask for this to be deployed' })
  await dialog.getByLabel('Title').fill('Even more')
  await dialog.getByRole('button', { name: 'Open the request' }).click()
  await expect(page.getByText('This may not be deployed yet: one thing is missing.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Why not' })).toContainText('0 of 1 approval of this text given.')
  await expectNoObjections(page, 'a request that is blocked')
  await looks(page, 'request-blocked', 'Comments')
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText('This may be deployed: nothing is missing.')).toBeVisible()
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Withdraw request/ })
    .click()
  await expect(page.getByText(person ? `Withdrawn by ${person}.` : 'Withdrawn.')).toBeVisible()
})
