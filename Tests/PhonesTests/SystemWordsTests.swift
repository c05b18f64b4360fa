import Phones
import Testing

/// Outcomes and evidence in the words of Apple's and Google's documentation.
@Suite struct SystemWordsTests {
  @Test func anOutcomeIsGivenInOurTermsAndApples() {
    #expect(
      Reason.taskExpired.explanation(on: [.iOS])
        == "background time had run out (backgroundTimeRemaining reached 0; beginBackgroundTask(expirationHandler:))"
    )
  }

  @Test func thePlatformDecidesWhoseTermsAreUsed() {
    #expect(Reason.bluetoothOff.explanation(on: [.iOS]) == "Bluetooth was off (CBManagerState.poweredOff)")
    #expect(
      Reason.bluetoothOff.explanation(on: [.android]) == "Bluetooth was off (BluetoothAdapter.STATE_OFF)")
    #expect(
      Reason.bluetoothOff.explanation
        == "Bluetooth was off (CBManagerState.poweredOff; BluetoothAdapter.STATE_OFF)")
  }

  @Test func anOutcomeWithoutASystemNameUsesOurTerms() {
    #expect(Reason.reboot.explanation == "the phone had restarted")
  }

  @Test(arguments: Reason.allCases) func ourWordsComeFirst(reason: Reason) {
    #expect(reason.explanation.hasPrefix(reason.words))
  }

  @Test func eventsHaveTheNameOfTheSystemCall() {
    #expect(Fact.What.taskBegun.systemWord(on: .iOS) == "beginBackgroundTask(expirationHandler:)")
    #expect(Fact.What.sessionStarted.systemWord(on: .iOS) == "startUpdatingLocation()")
    #expect(Fact.What.scanStarted.systemWord(on: .android) == "BluetoothLeScanner.startScan()")
    #expect(Fact.What.taskBegun.systemWord(on: .android) == nil)
  }
}
